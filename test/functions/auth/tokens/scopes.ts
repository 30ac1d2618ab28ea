import { claimsOf, OTHER_SCOPE, type Row, rows, rowsOf, SCOPE, textWith } from './token.ts';

const COMMA = `${SCOPE},${OTHER_SCOPE}`;

const claimsWith = (expected: Row['expected'], ...values: readonly Record<string, unknown>[]) =>
  rowsOf(expected, 'has the claims', values, (value) => ({ claims: value }));
const scope = (...values: readonly unknown[]) =>
  rowsOf('insufficient_scope', 'has the scope', values, (value) => ({ claims: { scope: value } }));

/** Good tokens that have, or lack, the scope. Okta and Entra have it in `scp`, and not in `scope`. */
export const scopes: Row[] = [
  ...claimsWith({}, { scope: SCOPE }, { scope: `${SCOPE} ${SCOPE}` }, { scope: `  ${SCOPE}  ` }),
  ...claimsWith({}, { scope: ['openid', SCOPE] }, { scope: ['openid', 7, null, SCOPE] }),
  ...claimsWith({}, { scope: undefined, scp: [SCOPE] }, { scope: undefined, scp: `x ${SCOPE}` }),
  ...scope(undefined, '', null, [], OTHER_SCOPE, `${SCOPE}2`, `x${SCOPE}`, `recruitment/${SCOPE}`),
  ...scope(SCOPE.replace(':', ' '), SCOPE.toUpperCase(), '* *:* applications:* jobs:*', COMMA),
  ...scope(`openid\t${SCOPE}`, `openid\n${SCOPE}`, [`openid ${SCOPE}`], [[SCOPE]], 7, true),
  ...scope({ [SCOPE]: true }, SCOPE.replace('o', '\u043e'), `\u200b${SCOPE}`),
  ...claimsWith('insufficient_scope', { scope: 'openid', scp: [SCOPE] }, { scope: '', scp: SCOPE }),
  ...claimsWith('insufficient_scope', { scope: [], scp: SCOPE }, { scope: null, scp: SCOPE }),
  ...claimsWith('insufficient_scope', { scope: undefined, permissions: [SCOPE] }),
  ...claimsWith('insufficient_scope', { scope: undefined, roles: [SCOPE] }),
  ...rows('insufficient_scope', {
    'has the scope under names that look like scope': (setup) => ({
      rawClaims: textWith(
        claimsOf(setup, { scope: undefined }),
        `"Scope":"${SCOPE}","s\u0441ope":"${SCOPE}"`,
      ),
    }),
  }),
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

/** A good token, whose claims have these members too, as text. */
const alsoWith = (expected: Row['expected'], members: string) =>
  rows(expected, {
    [`claims ${members}`]: (setup) => ({ rawClaims: textWith(claimsOf(setup), members) }),
  });

/** Tokens that are good in every way, of tenants of every kind: a name is taken to the letter. */
export const tenants: Row[] = [
  ...names.flatMap((tenant) =>
    rowsOf({ tenant }, 'names the tenant', [tenant], (name) => ({
      claims: { [TENANT_CLAIM]: name },
    })),
  ),
  ...rowsOf('no_tenant', 'names the tenant', nameless, (name) => ({
    claims: { [TENANT_CLAIM]: name },
  })),
  ...alsoWith({ tenant: 'acme' }, '"org_id":"b","org_id":"acme"'),
  ...alsoWith('no_tenant', '"org_id":"acme","org_id":null'),
  ...alsoWith('no_tenant', '"__proto__":{"org_id":"acme"}'),
  ...alsoWith('no_tenant', '"ORG_ID":"acme","Org_Id":"acme"'),
  ...alsoWith('no_tenant', '"tenant":"acme","tenant_id":"acme","custom:org_id":"acme"'),
];

/** Tokens for a deployment whose claim is `name`, which every object inherits. */
export const inherited = (name: string): Row[] => [
  ...rows('no_tenant', { 'does not claim it': {} }),
  ...alsoWith('no_tenant', `"${name}":{"name":"acme"}`),
  ...alsoWith({ tenant: 'acme' }, `"${name}":"acme"`),
];
