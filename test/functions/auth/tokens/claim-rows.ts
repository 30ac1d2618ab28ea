import { X509Certificate } from 'node:crypto';
import { makeCertificate } from '../../../support/certificate.ts';
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
  textWith,
  tokenOf,
} from './token.ts';

/** As long as an identifier may be. */
const LONG = 'é'.repeat(128);
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

/** Tokens that the issuer has signed, and whose claims may say that they are not for this service. */
const claims: Row[] = [
  ...valuesOf('incomplete', 'iss', undefined),
  ...valuesOf('unverified', 'iss', 'https://other.example.com', `${ISSUER}/`, `${ISSUER} `, null),
  ...valuesOf('unverified', 'iss', ISSUER.toUpperCase(), `${ISSUER}.example.com`, [ISSUER]),
  ...valuesOf('ok', 'aud', 'client-9', ['x', AUDIENCE], [1, AUDIENCE]),
  ...valuesOf('otherAudience', 'aud', 'other', `${AUDIENCE}2`, '', [], [[AUDIENCE]]),
  ...together('ok', { aud: undefined, client_id: AUDIENCE }),
  ...together('otherAudience', { aud: null, client_id: AUDIENCE }),
  ...together('otherAudience', { aud: undefined, client_id: 'other' }),
  ...together('otherAudience', { aud: undefined, client_id: [AUDIENCE], azp: AUDIENCE }),
  ...valuesOf('ok', 'exp', inSeconds(-20), inSeconds(600.5), LAST_DATE),
  ...valuesOf('incomplete', 'exp', undefined),
  ...valuesOf('expired', 'exp', inSeconds(-61), 0, -1),
  ...valuesOf('unverified', 'exp', String(LATER), '2999-01-01T00:00:00Z', null, [LATER]),
  ...valuesOf('invalidExpiry', 'exp', 1e300, LATER * 1000, LAST_DATE + 1),
  ...valuesOf('ok', 'iat', inSeconds(20), 0, -1e300),
  ...valuesOf('incomplete', 'iat', undefined),
  ...valuesOf('unverified', 'iat', inSeconds(61), String(LATER), 'now'),
  ...valuesOf('ok', 'nbf', inSeconds(20), 0),
  ...valuesOf('unverified', 'nbf', inSeconds(61), '0', null),
  ...valuesOf('ok', 'token_use', 'access'),
  ...valuesOf('otherType', 'token_use', 'id', 'refresh', 'Access', null),
  ...together({ subject: LONG }, { sub: LONG }),
  ...valuesOf('incomplete', 'sub', undefined),
  ...valuesOf('invalidSubject', 'sub', '', null, 7, ['user-1'], '\ud83d', 'user\n{"outcome":"ok"}'),
  ...valuesOf('invalidSubject', 'sub', 'x'.repeat(257), `${LONG}a`),
  ...together({ client: 'client-1' }, { client_id: 'client-1', azp: 'other' }),
  ...together({ client: 'client-2' }, { client_id: undefined, azp: 'client-2' }),
  ...together({ client: undefined }, { client_id: undefined }),
  ...valuesOf({ client: undefined }, 'client_id', { name: 'x' }, ['x'], 'client\u0000'),
];

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
  ...also({ subject: 'last' }, '"sub":"last"'),
  ...also('expired', '"exp":1'),
  // Numbers that no JSON library writes.
  ...also('invalidExpiry', '"exp":1e400'),
  ...also('unverified', '"iat":1e400'),
  ...also('otherAudience', '"aud":"other"'),
  ...also('insufficient_scope', '"scope":""'),
  ...also('insufficient_scope', `"__proto__":{"scope":"${SCOPES}"}`, 'scope'),
  ...also('incomplete', `"__proto__":{"exp":${LATER}}`, 'exp'),
];

const scope = (...values: readonly unknown[]) => valuesOf('insufficient_scope', 'scope', ...values);

/** Good tokens that have, or lack, the scope. Okta and Entra have it in `scp`, and not in `scope`. */
const scopes: Row[] = [
  ...together('ok', { scope: SCOPE }, { scope: `${SCOPE} ${SCOPE}` }, { scope: `  ${SCOPE}  ` }),
  ...together('ok', { scope: ['openid', SCOPE] }, { scope: ['openid', 7, null, SCOPE] }),
  ...together('ok', { scope: undefined, scp: [SCOPE] }, { scope: undefined, scp: `x ${SCOPE}` }),
  ...scope(undefined, '', null, [], OTHER_SCOPE, `${SCOPE}2`, `x${SCOPE}`, `recruitment/${SCOPE}`),
  ...scope(SCOPE.toUpperCase(), '* jobs:*', `${SCOPE},x`, `x\t${SCOPE}`, [`x ${SCOPE}`], [[SCOPE]]),
  ...scope(7, { [SCOPE]: true }, SCOPE.replace('o', '\u043e')),
  ...together('insufficient_scope', { scope: 'openid', scp: [SCOPE] }, { scope: '', scp: SCOPE }),
  ...together('insufficient_scope', { scope: [], scp: SCOPE }, { scope: null, scp: SCOPE }),
  ...together('insufficient_scope', { scope: undefined, roles: [SCOPE], Scope: SCOPE }),
];

const { certificate } = makeCertificate();
const fingerprint = new X509Certificate(certificate).fingerprint256.replaceAll(':', '');
const thumbprint = Buffer.from(fingerprint, 'hex').toString('base64url');
const own = { 'x5t#S256': thumbprint };
const ofAnother = { 'x5t#S256': thumbprint.toLowerCase() };

/** Where a request has the client's certificate. */
const verified = {
  requestContext: { authentication: { clientCert: { clientCertPem: certificate } } },
};
const unverified = { requestContext: { authentication: null } };
const inHeader = encodeURIComponent(certificate);

/** A request with a token whose claim `cnf` binds it to a key, or to none. */
const boundTo = (
  expected: Row['expected'],
  request: object,
  headers: object,
  ...bonds: unknown[]
) =>
  each(
    `is sent in ${Object.keys({ ...request, ...headers })} with the claim cnf as`,
    bonds,
    (cnf, setup) => {
      const authorization = `Bearer ${tokenOf(setup, { claims: { cnf } })}`;
      return { request: { ...request, headers: { ...headers, authorization } } };
    },
    expected,
  );

/** Tokens that only the owner of a key may use (RFC 8705, section 3; RFC 9449, section 6). */
const bonds: Row[] = [
  ...boundTo('ok', verified, {}, own, undefined),
  ...boundTo('bound', verified, {}, ofAnother, { ...own, jkt: thumbprint }, { jkt: thumbprint }),
  ...boundTo('bound', verified, {}, null, {}, [own], thumbprint, { 'x5t#S256': `${thumbprint}=` }),
  ...boundTo('bound', verified, {}, { 'x5t#S256': [thumbprint] }, { 'x5t#s256': thumbprint }),
  ...boundTo('bound', unverified, {}, own),
  ...boundTo('bound', {}, { 'x-client-cert': inHeader, 'x-amzn-mtls-clientcert': inHeader }, own),
];

/** The claim that holds the tenant. */
export const TENANT_CLAIM = 'org_id';
/** Names that were written to read as another tenant's, or as a part of a key. */
const names = ['acme', LONG, 'ACME', ' acme', 'acme\u200b', 'acme#JOB#x', '%61cme', '..'];
/** What is not the name of a tenant. */
const nameless = [null, '', [], ['acme'], { id: 'acme' }, 7, '\ud800', 'a\u0000', `${LONG}a`];

/** Tokens that are good in every way, of tenants of every kind: a name is taken to the letter. */
export const tenants: Row[] = [
  ...names.flatMap((tenant) => valuesOf({ tenant }, TENANT_CLAIM, tenant)),
  ...valuesOf('no_tenant', TENANT_CLAIM, undefined, ...nameless),
  ...also('no_tenant', '"org_id":"acme","org_id":null'),
  ...also('no_tenant', '"__proto__":{"org_id":"acme"}'),
  ...also('no_tenant', '"ORG_ID":"acme","tenant":"acme","custom:org_id":"acme"'),
];

export const claimTables = { bonds, claims, duplicates, scopes };
