import { X509Certificate } from 'node:crypto';
import { makeCertificate } from '../../../support/certificate.ts';
import { AUDIENCE, SCOPES } from '../../../support/issuer.ts';
import {
  claimsOf,
  each,
  ISSUER,
  NOW,
  OTHER_SCOPE,
  type Overrides,
  type Row,
  rows,
  SCOPE,
  textWith,
  tokenOf,
} from './token.ts';

/** 256 bytes, the longest identifier allowed. */
const LONG = 'é'.repeat(128);
const LAST_DATE = 253_402_300_799;
const LATER = NOW + 36_000;

const valuesOf = (expected: Row['expected'], claim: string, ...values: readonly unknown[]) =>
  each(`has the claim ${claim} as`, values, (value) => ({ claims: { [claim]: value } }), expected);

const together = (expected: Row['expected'], ...claims: readonly Overrides[]) =>
  each('has the claims', claims, (members) => ({ claims: members }), expected);

const claims: Row[] = [
  ...valuesOf('missing_iss', 'iss', undefined),
  ...valuesOf('other_issuer', 'iss', 'https://other.example.com', `${ISSUER}/`, `${ISSUER} `, null),
  ...valuesOf('other_issuer', 'iss', ISSUER.toUpperCase(), `${ISSUER}.example.com`, [ISSUER]),
  ...valuesOf('ok', 'aud', 'client-9', ['x', AUDIENCE], [1, AUDIENCE]),
  ...valuesOf('other_audience', 'aud', 'other', `${AUDIENCE}2`, '', [], [[AUDIENCE]]),
  ...together('ok', { aud: undefined, client_id: AUDIENCE }),
  ...together('other_audience', { aud: null, client_id: AUDIENCE }),
  ...together('other_audience', { aud: undefined, client_id: 'other' }),
  ...together('other_audience', { aud: undefined, client_id: [AUDIENCE], azp: AUDIENCE }),
  ...together('missing_aud', {
    aud: undefined,
    client_id: undefined,
    azp: AUDIENCE,
    cid: AUDIENCE,
  }),
  ...valuesOf('ok', 'exp', NOW - 29, NOW + 600.5, LAST_DATE),
  ...valuesOf('missing_exp', 'exp', undefined),
  ...valuesOf('expired', 'exp', NOW - 30, 0, -1),
  ...valuesOf('invalid_exp', 'exp', String(LATER), '2999-01-01T00:00:00Z', null, [LATER]),
  ...valuesOf('invalid_exp', 'exp', 1e300, LATER * 1000, LAST_DATE + 1),
  ...valuesOf('ok', 'iat', NOW + 30, 0, -1e300),
  ...valuesOf('missing_iat', 'iat', undefined),
  ...valuesOf('not_yet_valid', 'iat', NOW + 31),
  ...valuesOf('invalid_iat', 'iat', String(LATER), 'now'),
  ...valuesOf('ok', 'nbf', NOW + 30, 0),
  ...valuesOf('not_yet_valid', 'nbf', NOW + 31),
  ...valuesOf('invalid_nbf', 'nbf', '0', null),
  ...valuesOf('ok', 'token_use', 'access'),
  ...valuesOf('other_type', 'token_use', 'refresh', 'Access', null),
  ...together({ subject: LONG }, { sub: LONG }),
  ...together({ subject: 'machine' }, { sub: undefined, client_id: 'machine' }),
  ...together({ subject: 'machine' }, { sub: undefined, client_id: undefined, azp: 'machine' }),
  ...together('missing_sub', { sub: undefined, client_id: undefined }),
  ...together('missing_sub', { sub: undefined, client_id: ['machine'], azp: '' }),
  ...valuesOf('invalid_sub', 'sub', '', null, 7, ['user-1'], '\ud83d', 'user\n{"outcome":"ok"}'),
  ...valuesOf('invalid_sub', 'sub', 'x'.repeat(257), `${LONG}a`),
  ...together({ client: 'client-1' }, { client_id: 'client-1', azp: 'other' }),
  ...together({ client: 'client-2' }, { client_id: undefined, azp: 'client-2' }),
  ...together({ client: 'client-3' }, { client_id: undefined, appid: 'client-3', cid: 'other' }),
  ...together({ client: 'client-4' }, { client_id: undefined, cid: 'client-4' }),
  ...together({ client: undefined }, { client_id: undefined, clientId: 'client-5', sub: 'x' }),
  ...valuesOf({ client: undefined }, 'client_id', { name: 'x' }, ['x'], 'client\u0000'),
];

const nobody = { client_id: undefined };

/** Tokens that are or may be ID tokens (RFC 8725, section 3.12). Keycloak sets `typ`, and FusionAuth sets `tty`. */
const idTokens: Row[] = [
  ...together('id_token', { at_hash: 'x' }, { c_hash: null }, { token_use: 'id' }),
  ...together('id_token', { typ: 'ID' }, { tty: 'id', roles: [SCOPE] }),
  ...together('id_token', { nonce: 'x', scope: undefined, roles: [SCOPE] }),
  ...together('id_token', { nonce: 'x', scope: null, scp: null }),
  ...together(
    'insufficient_scope',
    { nonce: 'x', scope: '' },
    { nonce: 'x', scope: undefined, scp: [] },
  ),
  ...together(
    'missing_client',
    { ...nobody, scope: undefined },
    { ...nobody, scope: null, scp: null },
  ),
  ...together('missing_client', {
    scope: undefined,
    client_id: ['x'],
    azp: '',
    appid: 7,
    cid: null,
  }),
  ...together('missing_client', { ...nobody, scope: undefined, roles: [SCOPE], sub: undefined }),
  ...together('other_audience', { ...nobody, scope: undefined, aud: 'other' }),
  ...together('ok', nobody, { ...nobody, scope: undefined, scp: SCOPE }),
  ...each(
    'has no scope, and names its client in',
    ['client_id', 'azp', 'appid', 'cid'],
    (name) => ({ claims: { ...nobody, scope: undefined, [name]: 'client-1' } }),
    'insufficient_scope',
  ),
  ...together('ok', { typ: 'Bearer' }, { tty: 'at' }, { nonce: 'x' }),
  ...together('ok', { nonce: 'x', scope: undefined, scp: SCOPE }),
];

/** `members`: JSON text added to the claims. `lacking`: a claim to omit. */
const also = (expected: Row['expected'], members: string, lacking?: string) =>
  rows(expected, {
    [`claims ${members}${lacking ? ` and no ${lacking}` : ''}`]: (setup) => ({
      rawClaims: textWith(claimsOf(setup, lacking ? { [lacking]: undefined } : {}), members),
    }),
  });

/** A parser may reject duplicates or use the last one (RFC 7519, section 4). */
const duplicates: Row[] = [
  ...also({ subject: 'last' }, '"sub":"last"'),
  ...also('expired', '"exp":1'),
  // `JSON.parse` reads `1e400` as Infinity.
  ...also('invalid_exp', '"exp":1e400'),
  ...also('not_yet_valid', '"iat":1e400'),
  ...also('other_audience', '"aud":"other"'),
  ...also('insufficient_scope', '"scope":""'),
  ...also('insufficient_scope', `"__proto__":{"scope":"${SCOPES}"}`, 'scope'),
  ...also('missing_exp', `"__proto__":{"exp":${LATER}}`, 'exp'),
];

const scope = (...values: readonly unknown[]) => valuesOf('insufficient_scope', 'scope', ...values);

/** Okta and Entra ID put scopes into `scp`, not into `scope`. */
const scopes: Row[] = [
  ...together('ok', { scope: SCOPE }, { scope: `${SCOPE} ${SCOPE}` }, { scope: `  ${SCOPE}  ` }),
  ...together('ok', { scope: ['openid', SCOPE] }, { scope: ['openid', 7, null, SCOPE] }),
  ...together('ok', { scope: undefined, scp: [SCOPE] }, { scope: undefined, scp: `x ${SCOPE}` }),
  ...scope(undefined, '', null, [], OTHER_SCOPE, `${SCOPE}2`, `x${SCOPE}`, `recruitment/${SCOPE}`),
  ...scope(SCOPE.toUpperCase(), '* jobs:*', `${SCOPE},x`, `x\t${SCOPE}`, [`x ${SCOPE}`], [[SCOPE]]),
  ...together('ok', { scope: { [SCOPE]: { 6923: 'acme.example.com' } } }),
  ...scope(7, { [SCOPE]: true }, { roles: [SCOPE] }, SCOPE.replace('o', '\u043e')),
  ...scope({ [SCOPE]: {} }, { [SCOPE]: [6923] }, { [SCOPE]: null }),
  ...together('insufficient_scope', { scope: 'openid', scp: [SCOPE] }, { scope: '', scp: SCOPE }),
  ...together('insufficient_scope', { scope: [], scp: SCOPE }, { scope: null, scp: SCOPE }),
  ...together('insufficient_scope', { scope: undefined, roles: [SCOPE], Scope: SCOPE }),
];

const { certificate } = makeCertificate();
const fingerprint = new X509Certificate(certificate).fingerprint256.replaceAll(':', '');
const thumbprint = Buffer.from(fingerprint, 'hex').toString('base64url');
const own = { 'x5t#S256': thumbprint };
const lowerCased = { 'x5t#S256': thumbprint.toLowerCase() };

/** Where API Gateway puts a client certificate that it has verified. */
const verified = {
  requestContext: { authentication: { clientCert: { clientCertPem: certificate } } },
};
const unverified = { requestContext: { authentication: null } };
const inHeader = encodeURIComponent(certificate);

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

/** Tokens that only the holder of a key may use (RFC 8705, section 3; RFC 9449, section 6). */
const bonds: Row[] = [
  ...boundTo('ok', verified, {}, own, undefined),
  ...boundTo('bound', verified, {}, lowerCased, { ...own, jkt: thumbprint }, { jkt: thumbprint }),
  ...boundTo('bound', verified, {}, null, {}, [own], thumbprint, { 'x5t#S256': `${thumbprint}=` }),
  ...boundTo('bound', verified, {}, { 'x5t#S256': [thumbprint] }, { 'x5t#s256': thumbprint }),
  ...boundTo('bound', unverified, {}, own),
  ...boundTo('bound', {}, { 'x-client-cert': inHeader, 'x-amzn-mtls-clientcert': inHeader }, own),
];

export const TENANT_CLAIM = 'org_id';
/** Most of these tenants look like another tenant in the list, or like part of a DynamoDB key. */
const names = ['acme', LONG, 'ACME', ' acme', 'acme\u200b', 'acme#JOB#x', '%61cme', '..'];
const nameless = [null, '', [], ['acme'], { id: 'acme' }, 7, '\ud800', 'a\u0000', `${LONG}a`];

/** Zitadel's roles, each with the organizations that grant it. */
const held = (by: unknown) => ({ [TENANT_CLAIM]: '6923', scope: { [SCOPE]: by } });

export const tenants: Row[] = [
  ...together({ tenant: '6923' }, held({ 6923: 'a.example.com', 7: 'b.example.com' })),
  ...together('insufficient_scope', held({ 7: 'a.example.com' }), held({}), held('6923')),
  ...together('insufficient_scope', held(['6923']), held({ id: '6923' }), held(null)),
  ...together('insufficient_scope', { ...held({ constructor: 'x' }), [TENANT_CLAIM]: 'toString' }),
  ...together('no_tenant', { ...held({ 6923: 'a.example.com' }), [TENANT_CLAIM]: undefined }),
  ...names.flatMap((tenant) => valuesOf({ tenant }, TENANT_CLAIM, tenant)),
  ...valuesOf('no_tenant', TENANT_CLAIM, undefined),
  ...valuesOf('unusable_tenant', TENANT_CLAIM, ...nameless),
  ...also('unusable_tenant', '"org_id":"acme","org_id":null'),
  ...also('no_tenant', '"__proto__":{"org_id":"acme"}'),
  ...also('no_tenant', '"ORG_ID":"acme","tenant":"acme","custom:org_id":"acme"'),
];

export const claimTables = { bonds, claims, duplicates, idTokens, scopes };
