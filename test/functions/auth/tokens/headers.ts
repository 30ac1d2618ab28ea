import { deflateRawSync } from 'node:zlib';
import { CRITICAL } from '../../../support/issuer.ts';
import {
  base64url,
  claimsOf,
  headerOf,
  type Members,
  type Row,
  rows,
  rowsOf,
  type Setup,
  seal,
  signer,
  textWith,
  tokenOf,
} from './token.ts';

/** A proper token but for its claims, which are not encoded (RFC 7797); a dot would part them. */
export function unencoded(setup: Setup, members: Members): string {
  const { key } = setup.issuer;
  const header = base64url({ ...headerOf(key), ...members });
  const claims = JSON.stringify(claimsOf(setup)).replaceAll('.', '\\u002e');
  return seal(header, claims, signer('ES256', key.privateKey));
}

/** Extensions that no recipient may ignore (RFC 7515, section 4.1.11). */
const critical: Members[] = [
  { crit: [CRITICAL], [CRITICAL]: true },
  { crit: ['b64', CRITICAL], b64: true, [CRITICAL]: true },
  { crit: ['exp'], exp: 4_000_000_000 },
  { crit: 'b64', b64: true },
  { crit: ['b64'], b64: 'false' },
  { crit: ['b64'], b64: false },
  ...[[CRITICAL], ['alg'], [], [7], [''], null, ['__proto__'], ['b64']].map((crit) => ({ crit })),
];

/** Types of tokens that are not for a resource server, and what is no type at all. */
const types = [
  ...['id_token', 'id+jwt', 'dpop+jwt', 'logout+jwt', 'secevent+jwt', 'rt+jwt', 'JWS', 'JOSE'],
  ...['token-introspection+jwt', 'oauth-authz-req+jwt', 'at+jwt ', 'at+jwt, JWT', ''],
  ...['application/jwt+at', 7, null, ['at+jwt'], { typ: 'at+jwt' }],
];

/** The header with members before and after its own, of which the last of two wins. */
const withText = (after: string, before?: string) => (setup: Setup) => ({
  rawHeader: textWith(headerOf(setup.issuer.key), after, before),
});

/** Tokens that the issuer has signed, with a header that may mean something else. */
export const headers: Row[] = [
  ...rowsOf(
    {},
    'has the type',
    [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'],
    (typ) => ({ header: { typ } }),
  ),
  ...rowsOf('otherType', 'has the type', types, (typ) => ({ header: { typ } })),
  ...rowsOf('unverified', 'has the header', critical, (members) => ({ header: members })),
  ...rows(
    {},
    {
      'has claims that are encoded, and says so': { header: { crit: ['b64'], b64: true } },
      'has the alg none, and then the right one': withText('', '"alg":"none"'),
      'names an unknown key, and then the right one': withText('', '"kid":"other"'),
    },
  ),
  ...rows('unverified', {
    'has claims that are not encoded': (setup) => unencoded(setup, { crit: ['b64'], b64: false }),
    'has claims that are not encoded, and does not say so': (setup) => unencoded(setup, {}),
    'has claims that are compressed (zip)': (setup) => ({
      header: { zip: 'DEF' },
      rawClaims: deflateRawSync(JSON.stringify(claimsOf(setup))),
    }),
    'has a token for its claims (cty JWT)': (setup) => ({
      header: { cty: 'JWT' },
      rawClaims: tokenOf(setup),
    }),
    'has the right alg, and then none': withText('"alg":"none"'),
    'names the right key, and then an unknown one': withText('"kid":"other"'),
    'has its algorithm in the prototype of its header': {
      rawHeader: '{"__proto__":{"alg":"ES256"}}',
    },
  }),
  ...rows('otherType', { 'has the right type, and then another': withText('"typ":"id+jwt"') }),
];
