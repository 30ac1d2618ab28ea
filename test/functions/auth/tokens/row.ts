import type { TestRequest } from '../../../support/invoke.ts';
import type { Setup } from './setup.ts';

/** What the service answers: 200, 404 if there is no such item, or the code of a refusal. */
export type Outcome =
  | 'accepted'
  | 'not_found'
  | 'unauthenticated'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'no_tenant';

/** A token for `Authorization: Bearer …`, or a whole request. */
type Made = string | TestRequest;
/** Makes the token of a row for an operation that asks for `scope`. */
type Make = (setup: Setup, scope: string) => Made | Promise<Made>;

/** What the log says of a caller. */
interface Caller {
  subject?: string;
  tenant?: string;
}

/** A forged or unusual token, and what the service must answer. */
export interface Row {
  /** Goes on after "a token that …". */
  name: string;
  make: Make;
  expected: Outcome;
  caller?: Caller;
}

const rowOf = (expected: Outcome) => (name: string, make: Make) => ({ name, make, expected });

/** 401 with `error="invalid_token"`. */
export const refused = rowOf('invalid_token');
/** 401 without an error code: nothing in the request is a bearer token. */
export const unseen = rowOf('unauthenticated');
/** 403, the scope is missing. */
export const unscoped = rowOf('insufficient_scope');
/** 403, the tenant is missing. */
export const tenantless = rowOf('no_tenant');
/** A good token of a tenant that owns nothing. */
export const otherTenant = rowOf('not_found');

/** 200, and why that is right. */
export const accepted = (name: string, because: string, make: Make, caller: Caller = {}): Row => ({
  name: `${name}, because ${because}`,
  make,
  expected: 'accepted',
  caller,
});
