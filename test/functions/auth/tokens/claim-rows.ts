import { AUDIENCE, nowInSeconds, SCOPES } from '../../../support/issuer.ts';
import {
  claimsOf,
  each,
  ISSUER,
  type Members,
  OTHER_SCOPE,
  type Row,
  rows,
  SCOPE,
  type Setup,
  textWith,
} from './token.ts';

const LAST_DATE = 253_402_300_799;
/** Seconds from now on, when the token is made. */
const inSeconds = (seconds: number) => () => nowInSeconds() + seconds;
const LATER = nowInSeconds() + 36_000;

/** A row for each of the values of a claim; functions give theirs when the token is made. */
const valuesOf = (expected: Row['expected'], claim: string, ...values: readonly unknown[]) =>
  each(
    `has the claim ${claim} as`,
    values,
    (value) => ({ claims: { [claim]: typeof value === 'function' ? value() : value } }),
    expected,
  );

const together = (expected: Row['expected'], ...claims: readonly Members[]) =>
  each('has the claims', claims, (members) => ({ claims: members }), expected);

/** A number that no JSON library writes, in the place of a claim. */
const tooLarge = (claim: string, setup: Setup) => ({
  rawClaims: JSON.stringify(claimsOf(setup, { [claim]: '#' })).replace('"#"', '1e400'),
});

/** Tokens that the issuer has signed, and whose claims may say that they are not for this service. */
const claims: Row[] = [
  ...valuesOf('incomplete', 'iss', undefined),
  ...valuesOf('unverified', 'iss', 'https://other.example.com', `${ISSUER}/`, `${ISSUER} `, null),
  ...valuesOf('unverified', 'iss', ISSUER.toUpperCase(), `${ISSUER}.example.com`, [ISSUER]),
  ...valuesOf({}, 'aud', 'client-9', ['x', AUDIENCE], [1, AUDIENCE]),
  ...valuesOf('otherAudience', 'aud', 'other', `${AUDIENCE}2`, AUDIENCE.toUpperCase(), '', []),
  ...valuesOf('otherAudience', 'aud', `${AUDIENCE} other`, [1, 2], [[AUDIENCE]]),
  ...together({}, { aud: undefined, client_id: AUDIENCE }),
  ...together('otherAudience', { aud: null, client_id: AUDIENCE }),
  ...together('otherAudience', { aud: 'x', client_id: AUDIENCE }),
  ...together('otherAudience', { aud: undefined, client_id: undefined }),
  ...together('otherAudience', { aud: undefined, client_id: 'other' }),
  ...together('otherAudience', { aud: undefined, client_id: [AUDIENCE] }),
  ...together('otherAudience', { aud: undefined, azp: AUDIENCE }),
  ...valuesOf({}, 'exp', inSeconds(-20), inSeconds(600.5), LAST_DATE),
  ...valuesOf('incomplete', 'exp', undefined),
  ...valuesOf('expired', 'exp', inSeconds(-61), 0, -1),
  ...valuesOf('unverified', 'exp', String(LATER), '2999-01-01T00:00:00Z', null, [LATER]),
  ...valuesOf('invalidExpiry', 'exp', 1e300, LATER * 1000, LAST_DATE + 1),
  ...valuesOf({}, 'iat', inSeconds(20), 0),
  ...valuesOf('incomplete', 'iat', undefined),
  ...valuesOf('unverified', 'iat', inSeconds(61), String(LATER), 'now'),
  ...valuesOf('expired', 'iat', -1e300),
  ...valuesOf({}, 'nbf', inSeconds(20), 0),
  ...valuesOf('unverified', 'nbf', inSeconds(61), '0', null),
  ...each('has 1e400 for the claim', ['iat', 'nbf'], tooLarge),
  ...each('has 1e400 for the claim', ['exp'], tooLarge, 'invalidExpiry'),
  ...valuesOf({}, 'token_use', 'access'),
  ...valuesOf('otherType', 'token_use', 'id', 'refresh', 'Access', null),
  ...together({ subject: 'é'.repeat(128) }, { sub: 'é'.repeat(128) }),
  ...together({ subject: '用户 №1 <">' }, { sub: '用户 №1 <">' }),
  ...valuesOf('incomplete', 'sub', undefined),
  ...valuesOf('invalidSubject', 'sub', '', null, 7, { name: 'user-1' }, ['user-1'], '\ud83d'),
  ...valuesOf('invalidSubject', 'sub', 'user-1\n{"outcome":"ok"}', 'user-1\u0000'),
  ...valuesOf('invalidSubject', 'sub', 'x'.repeat(257), 'é'.repeat(129)),
  ...together({ client: 'client-1' }, { client_id: 'client-1', azp: 'other' }),
  ...together({ client: 'client-2' }, { client_id: undefined, azp: 'client-2' }),
  ...together({ client: undefined }, { client_id: undefined }),
  ...valuesOf({ client: undefined }, 'client_id', { name: 'x' }, ['x'], 'client\u0000'),
  ...together('insufficient_scope', { scope: undefined, nonce: 'n-1', email: 'ana@example.com' }),
];

const IS_LAST = { subject: 'last' };

/** A token whose text has a claim twice: first as `first` says, then as `last` does. */
const twice = (expected: Row['expected'], claim: string, first: unknown, last: unknown) =>
  rows(expected, {
    [`has ${claim} twice, ${JSON.stringify(first)} and then ${JSON.stringify(last)}`]: (setup) => ({
      rawClaims: textWith(
        claimsOf(setup, { [claim]: first }),
        `"${claim}":${JSON.stringify(last)}`,
      ),
    }),
  });

/** A token whose claims have these members too, and lack one of their own. */
const also = (expected: Row['expected'], members: string, lacking?: string) =>
  rows(expected, {
    [`claims ${members}${lacking ? ` and no ${lacking}` : ''}`]: (setup) => ({
      rawClaims: textWith(claimsOf(setup, lacking ? { [lacking]: undefined } : {}), members),
    }),
  });

/**
 * RFC 7519, section 4, lets a reader refuse a claim that is there twice or take the last. Here the
 * last is taken, in what is checked as in what is used: no two readers of a token can differ.
 */
const duplicates: Row[] = [
  ...twice(IS_LAST, 'sub', 'first', 'last'),
  ...twice({}, 'exp', 1, LATER),
  ...twice('expired', 'exp', LATER, 1),
  ...twice('otherAudience', 'aud', AUDIENCE, 'other'),
  ...twice('unverified', 'iss', ISSUER, 'https://other.example.com'),
  ...twice('otherType', 'token_use', 'access', 'id'),
  ...twice('insufficient_scope', 'scope', SCOPES, ''),
  ...also(IS_LAST, '"s\\u0075b":"last"'),
  ...also('insufficient_scope', `"__proto__":{"scope":"${SCOPES}"}`, 'scope'),
  ...also('incomplete', `"__proto__":{"exp":${LATER}}`, 'exp'),
];

const COMMA = `${SCOPE},${OTHER_SCOPE}`;

const scope = (...values: readonly unknown[]) => valuesOf('insufficient_scope', 'scope', ...values);

/** Good tokens that have, or lack, the scope. Okta and Entra have it in `scp`, and not in `scope`. */
const scopes: Row[] = [
  ...together({}, { scope: SCOPE }, { scope: `${SCOPE} ${SCOPE}` }, { scope: `  ${SCOPE}  ` }),
  ...together({}, { scope: ['openid', SCOPE] }, { scope: ['openid', 7, null, SCOPE] }),
  ...together({}, { scope: undefined, scp: [SCOPE] }, { scope: undefined, scp: `x ${SCOPE}` }),
  ...scope(undefined, '', null, [], OTHER_SCOPE, `${SCOPE}2`, `x${SCOPE}`, `recruitment/${SCOPE}`),
  ...scope(SCOPE.replace(':', ' '), SCOPE.toUpperCase(), '* *:* applications:* jobs:*', COMMA),
  ...scope(`openid\t${SCOPE}`, `openid\n${SCOPE}`, [`openid ${SCOPE}`], [[SCOPE]], 7, true),
  ...scope({ [SCOPE]: true }, SCOPE.replace('o', '\u043e'), `\u200b${SCOPE}`),
  ...together('insufficient_scope', { scope: 'openid', scp: [SCOPE] }, { scope: '', scp: SCOPE }),
  ...together('insufficient_scope', { scope: [], scp: SCOPE }, { scope: null, scp: SCOPE }),
  ...together('insufficient_scope', { scope: undefined, permissions: [SCOPE] }),
  ...together('insufficient_scope', { scope: undefined, roles: [SCOPE] }),
  ...also('insufficient_scope', `"Scope":"${SCOPE}","s\u0441ope":"${SCOPE}"`, 'scope'),
];

/** The claim that holds the tenant. */
export const TENANT_CLAIM = 'org_id';
/** Names that every object has, though no token claims them. */
export const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const LONG = 'é'.repeat(128);
/** Names that were written to read as another tenant's, or as a part of a key. */
const names = [
  ...['acme', LONG, 'ACME', ' acme', 'acme ', 'acme\u200b', '\u0430cme', 'acme,default', '..', '*'],
  ...['acme#JOB#owned', 'x#JOB#y', 'TENANT#acme', '%61cme', 'default', '__proto__', 'constructor'],
];
/** What is no name of a tenant. */
const nameless: unknown[] = [
  ...[undefined, null, '', [], ['acme'], {}, { id: 'acme' }, 7, 0, true, '\ud800', 'x'.repeat(257)],
  ...['acme\u0000', 'acme\n', `${LONG}a`],
];

/** Tokens that are good in every way, of tenants of every kind: a name is taken to the letter. */
export const tenants: Row[] = [
  ...names.flatMap((tenant) => valuesOf({ tenant }, TENANT_CLAIM, tenant)),
  ...valuesOf('no_tenant', TENANT_CLAIM, ...nameless),
  ...also({ tenant: 'acme' }, '"org_id":"b","org_id":"acme"'),
  ...also('no_tenant', '"org_id":"acme","org_id":null'),
  ...also('no_tenant', '"__proto__":{"org_id":"acme"}'),
  ...also('no_tenant', '"ORG_ID":"acme","Org_Id":"acme"'),
  ...also('no_tenant', '"tenant":"acme","tenant_id":"acme","custom:org_id":"acme"'),
];

/** Tokens for a deployment whose claim is `name`, which every object inherits. */
export const inherited = (name: string): Row[] => [
  ...rows('no_tenant', { 'does not claim it': {} }),
  ...also('no_tenant', `"${name}":{"name":"acme"}`),
  ...also({ tenant: 'acme' }, `"${name}":"acme"`),
];

/** By what the tokens of a table are about. */
export const claimTables = { claims, duplicates, scopes };
