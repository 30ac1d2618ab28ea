import { SCOPES } from '../../../support/issuer.ts';
import { accepted, type Row, unscoped } from './row.ts';
import { claimsText, headerOf, type Setup, signed } from './setup.ts';

type Claims = Readonly<Record<string, unknown>>;

const minted = (claims: (scope: string) => Claims) => (setup: Setup, scope: string) =>
  setup.issuer.mint(claims(scope));

/** The scopes that are not asked for. */
const otherThan = (scope: string) =>
  SCOPES.split(' ')
    .filter((other) => other !== scope)
    .join(' ');

const ENOUGH: [string, string, (scope: string) => Claims][] = [
  ['has the scope alone', 'it needs no other', (scope) => ({ scope })],
  ['has the scope twice', 'once is enough', (scope) => ({ scope: `${scope} ${scope}` })],
  ['has the scope between spaces', 'they part nothing', (scope) => ({ scope: `  ${scope}  ` })],
  [
    'has the scope in a list',
    'some issuers write `scope` so',
    (scope) => ({ scope: ['x', scope] }),
  ],
  [
    'has the scope in `scp`',
    'so do Okta and Entra',
    (scope) => ({ scope: undefined, scp: [scope] }),
  ],
  [
    'has the scope in `scp` as a string',
    'so does Entra',
    (scope) => ({ scope: undefined, scp: `openid ${scope}` }),
  ],
];

const TOO_LITTLE: [string, (scope: string) => Claims][] = [
  ['has no scope', () => ({ scope: undefined })],
  ['has an empty scope', () => ({ scope: '' })],
  ['has the scope null', () => ({ scope: null })],
  ['has an empty list of scopes', () => ({ scope: [] })],
  ['has the scopes of the other operations', (scope) => ({ scope: otherThan(scope) })],
  ['has a scope that begins alike', (scope) => ({ scope: `${scope}2` })],
  ['has a scope that ends alike', (scope) => ({ scope: `x${scope}` })],
  ['has a scope with a prefix', (scope) => ({ scope: `recruitment/${scope}` })],
  ['has half the scope', (scope) => ({ scope: scope.split(':').join(' ') })],
  ['has the scope in upper case', (scope) => ({ scope: scope.toUpperCase() })],
  ['has all scopes by an asterisk', () => ({ scope: '* *:* applications:* jobs:*' })],
  ['has scopes separated by commas', (scope) => ({ scope: `${scope},${otherThan(scope)}` })],
  ['has scopes that a tab parts', (scope) => ({ scope: `openid\t${scope}` })],
  ['has scopes that a line break parts', (scope) => ({ scope: `openid\n${scope}` })],
  ['has scopes in one entry of a list', (scope) => ({ scope: [`openid ${scope}`] })],
  ['has the scope in a list in a list', (scope) => ({ scope: [[scope]] })],
  ['has the scope as the member of an object', (scope) => ({ scope: { [scope]: true } })],
  ['has a number for a scope', () => ({ scope: 7 })],
  ['has the scope true', () => ({ scope: true })],
  ['has the scope with a letter of another script', (s) => ({ scope: s.replace('o', '\u043e') })],
  ['has the scope with an invisible character', (scope) => ({ scope: `\u200b${scope}` })],
  ['has the scope in `scp` beside another `scope`', (s) => ({ scope: 'openid', scp: [s] })],
  ['has the scope in `permissions`', (s) => ({ scope: undefined, permissions: [s] })],
  ['has the scope in `roles`', (scope) => ({ scope: undefined, roles: [scope] })],
];

/** Good tokens that may, or may not, do what is asked. */
export const scopes: Row[] = [
  ...ENOUGH.map(([name, because, claims]) => accepted(name, because, minted(claims))),
  ...TOO_LITTLE.map(([name, claims]) => unscoped(name, minted(claims))),
  unscoped('has the scope under a name that only looks like scope', (setup, scope) =>
    signed(
      setup,
      headerOf(setup.issuer.key),
      claimsText(setup, `"Scope":"${scope}","s\u0441ope":"${scope}"`, { scope: undefined }),
    ),
  ),
];
