import { AUDIENCE, nowInSeconds } from '../../../support/issuer.ts';
import { accepted, type Row, refused, unscoped } from './row.ts';
import { headerOf, type Setup, signed } from './setup.ts';

type Claims = Readonly<Record<string, unknown>>;
type Claimed = [name: string, claims: (setup: Setup) => Claims];

const inSeconds = (seconds: number) => nowInSeconds() + seconds;
const minted = (claims: (setup: Setup) => Claims) => (setup: Setup) =>
  setup.issuer.mint(claims(setup));

/** A number that no JSON library writes, in the place of a claim. */
const numbered = (claim: string, number: string) => (setup: Setup) =>
  signed(
    setup,
    headerOf(setup.issuer.key),
    JSON.stringify(setup.issuer.claims({ [claim]: '#' })).replace('"#"', number),
  );

const bad: Claimed[] = [
  ['is of no issuer', () => ({ iss: undefined })],
  ['is of another issuer', ({ attacker }) => ({ iss: attacker.url })],
  ['is of the issuer with a slash', ({ issuer }) => ({ iss: `${issuer.url}/` })],
  ['is of the issuer in another case', ({ issuer }) => ({ iss: issuer.url.toUpperCase() })],
  ['is of an issuer that begins alike', ({ issuer }) => ({ iss: `${issuer.url}.example.com` })],
  ['is of the issuer and a space', ({ issuer }) => ({ iss: `${issuer.url} ` })],
  ['is of the issuer in a list', ({ issuer }) => ({ iss: [issuer.url] })],
  ['is of the issuer null', () => ({ iss: null })],
  ['is for another audience', () => ({ aud: 'other' })],
  ['is for an audience that begins alike', () => ({ aud: `${AUDIENCE}2` })],
  ['is for the audience in another case', () => ({ aud: AUDIENCE.toUpperCase() })],
  ['is for the audience and another in one text', () => ({ aud: `${AUDIENCE} other` })],
  ['is for a list of numbers', () => ({ aud: [1, 2] })],
  ['is for an empty list', () => ({ aud: [] })],
  ['is for a list in a list', () => ({ aud: [[AUDIENCE]] })],
  ['is for an empty audience', () => ({ aud: '' })],
  ['is for null, and of a known client', () => ({ aud: null, client_id: AUDIENCE })],
  ['is for another audience, and of a known client', () => ({ aud: 'x', client_id: AUDIENCE })],
  ['is for no audience', () => ({ aud: undefined, client_id: undefined })],
  ['is for no audience, and of an unknown client', () => ({ aud: undefined, client_id: 'other' })],
  [
    'is for no audience, and of a list of clients',
    () => ({ aud: undefined, client_id: [AUDIENCE] }),
  ],
  [
    'is for no audience, and got by a known client (azp)',
    () => ({ aud: undefined, azp: AUDIENCE }),
  ],
  ['never expires', () => ({ exp: undefined })],
  ['has expired', () => ({ exp: inSeconds(-61) })],
  ['has expired long ago', () => ({ exp: 0 })],
  ['expires at a date before 1970', () => ({ exp: -1 })],
  ['expires at a number in a string', () => ({ exp: String(inSeconds(600)) })],
  ['expires at a date in a string', () => ({ exp: '2999-01-01T00:00:00Z' })],
  ['expires at 1e300', () => ({ exp: 1e300 })],
  ['expires at milliseconds, in the year 58000', () => ({ exp: inSeconds(600) * 1000 })],
  ['expires at null', () => ({ exp: null })],
  ['expires at a list', () => ({ exp: [inSeconds(600)] })],
  ['was never issued', () => ({ iat: undefined })],
  ['was issued in the future', () => ({ iat: inSeconds(61) })],
  ['was issued at a number in a string', () => ({ iat: String(inSeconds(0)) })],
  ['was issued at -1e300', () => ({ iat: -1e300 })],
  ['begins in the future', () => ({ nbf: inSeconds(61) })],
  ['begins at a number in a string', () => ({ nbf: '0' })],
  ['begins at null', () => ({ nbf: null })],
  ['is an ID token of Cognito (token_use id)', () => ({ token_use: 'id' })],
  ['is a token of Cognito for a refresh', () => ({ token_use: 'refresh' })],
  ['is of the use "Access"', () => ({ token_use: 'Access' })],
  ['is of the use null', () => ({ token_use: null })],
  ['has no subject', () => ({ sub: undefined })],
  ['has an empty subject', () => ({ sub: '' })],
  ['has the subject null', () => ({ sub: null })],
  ['has an object for a subject', () => ({ sub: { name: 'user-1' } })],
  ['has a list for a subject', () => ({ sub: ['user-1'] })],
  ['has a subject with a line break', () => ({ sub: 'user-1\n{"outcome":"ok"}' })],
  ['has a subject with a null character', () => ({ sub: 'user-1\u0000' })],
  ['has a subject of 257 bytes', () => ({ sub: 'x'.repeat(257) })],
  ['has a subject of 129 characters and 258 bytes', () => ({ sub: 'é'.repeat(129) })],
  ['has half a character for a subject', () => ({ sub: '\ud83d' })],
];

const good: [string, string, (setup: Setup) => Claims][] = [
  ['is for the audience among others', 'one of them suffices', () => ({ aud: ['x', AUDIENCE] })],
  [
    'is for the audience among numbers',
    'what is no string is no audience',
    () => ({ aud: [1, AUDIENCE] }),
  ],
  [
    'is for no audience, and of a known client',
    'Cognito has no `aud` in access tokens',
    () => ({ aud: undefined, client_id: AUDIENCE }),
  ],
  ['expired 20 seconds ago', 'clocks may differ by 30 seconds', () => ({ exp: inSeconds(-20) })],
  ['begins in 20 seconds', 'clocks may differ by 30 seconds', () => ({ nbf: inSeconds(20) })],
  ['was issued in 20 seconds', 'clocks may differ by 30 seconds', () => ({ iat: inSeconds(20) })],
  ['expires at half a second', 'RFC 7519 allows it', () => ({ exp: inSeconds(600) + 0.5 })],
  ['was issued in 1970', 'no token is too old', () => ({ iat: 0 })],
  ['has a subject of 256 bytes', 'that is the limit', () => ({ sub: 'é'.repeat(128) })],
  ['has a subject of many scripts', 'a subject may be any text', () => ({ sub: '用户 №1 <">' })],
  ['says that it is an access token', 'so does Cognito', () => ({ token_use: 'access' })],
];

/** Tokens that the issuer has signed, and whose claims say that they are not for this service. */
export const claims: Row[] = [
  ...good.map(([name, because, make]) => accepted(name, because, minted(make))),
  ...bad.map(([name, make]) => refused(name, minted(make))),
  refused('expires at a number beyond all numbers', numbered('exp', '1e400')),
  refused('was issued at a number beyond all numbers', numbered('iat', '1e400')),
  refused('begins at a number beyond all numbers', numbered('nbf', '1e400')),
  unscoped(
    'is an ID token of an issuer that does not mark them',
    minted(() => ({ scope: undefined, nonce: 'n-1', at_hash: 'AAAA', email: 'ana@example.com' })),
  ),
];
