import { deflateRawSync } from 'node:zlib';
import { CRITICAL } from '../../../support/issuer.ts';
import { handMade, part, seal } from './jws.ts';
import { accepted, type Row, refused } from './row.ts';
import { headerOf, own, type Setup, signed } from './setup.ts';

type Members = Readonly<Record<string, unknown>>;

/** A token that the issuer has signed, with these members in its header. */
const withHeader = ({ issuer }: Setup, members: Members) =>
  handMade(headerOf(issuer.key, members), issuer.claims(), own(issuer));

/** A proper token but for its claims, which are as they are (RFC 7797); a dot would part them. */
export const unencoded = ({ issuer }: Setup, members: Members) =>
  seal(
    part(headerOf(issuer.key, members)),
    JSON.stringify(issuer.claims()).replaceAll('.', '\\u002e'),
    own(issuer),
  );

/** `crit` with extensions that no recipient may ignore (RFC 7515, section 4.1.11). */
const critical: Members[] = [
  { crit: [CRITICAL], [CRITICAL]: true },
  { crit: [CRITICAL] },
  { crit: ['exp'], exp: 4_000_000_000 },
  { crit: ['alg'] },
  { crit: [] },
  { crit: 'b64', b64: true },
  { crit: [7] },
  { crit: [''] },
  { crit: null },
  { crit: ['__proto__'] },
  { crit: ['b64', CRITICAL], b64: true, [CRITICAL]: true },
  { crit: ['b64'] },
  { crit: ['b64'], b64: 'false' },
];

/** Types of tokens that are not for a resource server, and what is no type at all. */
const types = [
  'id_token',
  'id+jwt',
  'dpop+jwt',
  'logout+jwt',
  'secevent+jwt',
  'token-introspection+jwt',
  'oauth-authz-req+jwt',
  'rt+jwt',
  'JWS',
  'at+jwt ',
  'at+jwt, JWT',
  'application/jwt+at',
  '',
  7,
  null,
  ['at+jwt'],
  { typ: 'at+jwt' },
];

/** The header's text with members before and after what it should have. */
const headerText = ({ issuer }: Setup, before: string, after: string) =>
  `{${[before, JSON.stringify(headerOf(issuer.key)).slice(1, -1), after].filter((text) => text !== '').join(',')}}`;

const LAST_WINS = 'the last of two members wins, for every reader alike';

/** Tokens that the issuer has signed, with a header that means something else. */
export const headers: Row[] = [
  ...[undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt'].map((typ) =>
    accepted(`says the type ${typ}`, 'RFC 9068 and the issuers before it have it so', (setup) =>
      withHeader(setup, { typ }),
    ),
  ),
  ...types.map((typ) =>
    refused(`says the type ${JSON.stringify(typ)}`, (setup) => withHeader(setup, { typ })),
  ),
  ...critical.map((members) =>
    refused(`has the header ${JSON.stringify(members)}`, (setup) => withHeader(setup, members)),
  ),
  accepted('says that its claims are encoded (b64 true)', 'they are (RFC 7797)', (setup) =>
    withHeader(setup, { crit: ['b64'], b64: true }),
  ),
  refused('has claims that are not encoded (b64 false)', (setup) =>
    unencoded(setup, { crit: ['b64'], b64: false }),
  ),
  refused('says that its claims are not encoded, though they are', (setup) =>
    withHeader(setup, { crit: ['b64'], b64: false }),
  ),
  refused('has claims that are not encoded, and does not say so', (setup) => unencoded(setup, {})),
  refused('has claims that are compressed (zip)', ({ issuer }) =>
    handMade(
      headerOf(issuer.key, { zip: 'DEF' }),
      deflateRawSync(JSON.stringify(issuer.claims())),
      own(issuer),
    ),
  ),
  refused('has a token for its claims (cty JWT)', async ({ issuer }) =>
    handMade(headerOf(issuer.key, { cty: 'JWT' }), await issuer.mint(), own(issuer)),
  ),
  accepted('says alg none, and then the right one', LAST_WINS, (setup) =>
    signed(setup, headerText(setup, '"alg":"none"', ''), setup.issuer.claims()),
  ),
  refused('says the right alg, and then none', (setup) =>
    signed(setup, headerText(setup, '', '"alg":"none"'), setup.issuer.claims()),
  ),
  accepted('names an unknown key, and then the right one', LAST_WINS, (setup) =>
    signed(setup, headerText(setup, '"kid":"other"', ''), setup.issuer.claims()),
  ),
  refused('names the right key, and then an unknown one', (setup) =>
    signed(setup, headerText(setup, '', '"kid":"other"'), setup.issuer.claims()),
  ),
  refused('says the right type, and then that of an ID token', (setup) =>
    signed(setup, headerText(setup, '', '"typ":"id+jwt"'), setup.issuer.claims()),
  ),
  refused('has its algorithm in the prototype of its header', (setup) =>
    signed(setup, '{"__proto__":{"alg":"ES256"}}', setup.issuer.claims()),
  ),
];
