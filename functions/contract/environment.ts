import { transitionPolicies } from '../domain/job.ts';

/**
 * The environment variables of the functions, with what each is set to: the stack writes them and
 * `runtime/env.ts` reads them. These must be set.
 */
export const requiredVariables = {
  TABLE_NAME: 'the name of the DynamoDB table',
  AWS_ENDPOINT_URL_DYNAMODB: 'the http or https URL of DynamoDB',
  ISSUER: 'the http or https URL of the token issuer',
  AUDIENCE: 'the accepted audiences, separated by commas',
} as const;

/** Those that need not be set. */
export const optionalVariables = {
  JWKS_URI: "the http or https URL of the issuer's JWKS",
  SCOPE_PREFIX: 'the prefix of the scope names, without spaces, quotation marks and backslashes',
  TENANT_CLAIM: 'the claim that holds the tenant',
  TRANSITION_POLICY: `the moves that are allowed: ${Object.keys(transitionPolicies).join(' or ')}`,
  FILES_BUCKET: 'the bucket of the files that are given out as links, with FILES_URL',
  FILES_URL: 'the http or https URL under which the keys of FILES_BUCKET lie',
  TIMEOUT_S: "the function's time-out in seconds, more than 0",
} as const;

export type FunctionVariables = Record<keyof typeof requiredVariables, string> &
  Partial<Record<keyof typeof optionalVariables, string>>;

/** The time-out of the functions, in seconds. Every request has its response at least 500 ms before it. */
export const TIMEOUT_S = 6;

/** The names in a comma-separated list, such as `AUDIENCE`. */
export const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Whether `prefix` has only characters of a scope (RFC 6749, section 3.3): no space, no `"`, no backslash. */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);
