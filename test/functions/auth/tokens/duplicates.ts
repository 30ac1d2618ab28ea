import { AUDIENCE, nowInSeconds, SCOPES } from '../../../support/issuer.ts';
import { accepted, type Row, refused, unscoped } from './row.ts';
import { claimsText, headerOf, type Setup, signed } from './setup.ts';

/** Claims whose text has a member twice: first as `first` says, then as `last` does. */
const twice = (claim: string, first: unknown, last: unknown) => (setup: Setup) =>
  signed(
    setup,
    headerOf(setup.issuer.key),
    claimsText(setup, `"${claim}":${JSON.stringify(last)}`, { [claim]: first }),
  );

const LAST_WINS = 'the last of two claims wins, in what is checked as in what is used';
const PAST = 1;
const FUTURE = nowInSeconds() + 36_000;

/**
 * RFC 7519, section 4, lets a reader refuse a claim that is there twice or take the last. Here the
 * last is taken, once for all: no two readers of the same token can differ.
 */
export const duplicates: Row[] = [
  accepted('has two subjects', LAST_WINS, twice('sub', 'first', 'last'), { subject: 'last' }),
  accepted('has two subjects, the first of them bad', LAST_WINS, twice('sub', '', 'last'), {
    subject: 'last',
  }),
  refused('has two subjects, the last of them bad', twice('sub', 'first', '')),
  accepted('expires in the past and in the future', LAST_WINS, twice('exp', PAST, FUTURE)),
  refused('expires in the future and in the past', twice('exp', FUTURE, PAST)),
  accepted('is for another and for this audience', LAST_WINS, twice('aud', 'other', AUDIENCE)),
  refused('is for this and for another audience', twice('aud', AUDIENCE, 'other')),
  refused('is of this and of another issuer', (setup) =>
    twice('iss', setup.issuer.url, setup.attacker.url)(setup),
  ),
  accepted('is of another and of this issuer', LAST_WINS, (setup) =>
    twice('iss', setup.attacker.url, setup.issuer.url)(setup),
  ),
  refused('was issued now and in the future', twice('iat', nowInSeconds(), FUTURE)),
  refused('is for access and for identification', twice('token_use', 'access', 'id')),
  accepted('is for identification and for access', LAST_WINS, twice('token_use', 'id', 'access')),
  accepted('has no scopes and then all', LAST_WINS, twice('scope', '', SCOPES)),
  unscoped('has all scopes and then none', twice('scope', SCOPES, '')),
  accepted(
    'writes a claim once with an escape and once without',
    'both are one name, of which the last wins',
    (setup) => signed(setup, headerOf(setup.issuer.key), claimsText(setup, '"s\\u0075b":"last"')),
    { subject: 'last' },
  ),
  unscoped('has its scopes in the prototype of its claims', (setup) =>
    signed(
      setup,
      headerOf(setup.issuer.key),
      claimsText(setup, `"__proto__":{"scope":"${SCOPES}"}`, { scope: undefined }),
    ),
  ),
  refused('has its expiry in the prototype of its claims', (setup) =>
    signed(
      setup,
      headerOf(setup.issuer.key),
      claimsText(setup, `"__proto__":{"exp":${FUTURE}}`, { exp: undefined }),
    ),
  ),
];
