import { describe, expect, it } from 'vitest';
import { flawsOf, type LockedPackage, looseVersions } from '../../../infra/build/lock-file.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;
const jose: LockedPackage = { version: '6.2.17', integrity };
const archive = 'https://registry.npmjs.org/jose/-/jose-6.2.17.tgz';

/** What is wrong where `packages` are locked beside the project itself. */
const flaws = (packages: Record<string, LockedPackage>, lockfileVersion = 3) =>
  flawsOf({ lockfileVersion, packages: { '': {}, ...packages } });

describe('package.json', () => {
  it.each(['^1.2.3', '~1.2.3', '*', 'latest', '1.2', '1.x', '>=1.0.0', '', '1.2.3 || 2.0.0'])(
    'may not name the version %j',
    (version) => {
      expect(looseVersions({ dependencies: { jose: version } })).toHaveLength(1);
    },
  );

  it.each([
    'git+https://example.com/jose.git',
    'file:../jose',
    'https://example.com/a.tgz',
    'npm:a@1',
  ])('may not name the address %j', (version) => {
    expect(looseVersions({ devDependencies: { jose: version } })).toHaveLength(1);
  });

  it('may name exact versions, of all kinds of dependencies', () => {
    const exact = { jose: '6.2.17', next: '1.0.0-rc.1' };
    expect(looseVersions({ dependencies: exact, devDependencies: exact })).toEqual([]);
    expect(looseVersions({ optionalDependencies: { jose: '^6.0.0' } })).toEqual([
      'jose is ^6.0.0: pin one version.',
    ]);
  });
});

describe('a lock file', () => {
  it.each<[string, string, LockedPackage]>([
    ['that has a SHA-512', 'node_modules/jose', jose],
    ["that has the registry's address", 'node_modules/jose', { ...jose, resolved: archive }],
    [
      'with a scope',
      'node_modules/@middy/core',
      { ...jose, resolved: 'https://registry.npmjs.org/@middy/core/-/core-6.2.17.tgz' },
    ],
    [
      'under another name',
      'node_modules/a/node_modules/alias',
      { ...jose, name: 'jose', resolved: archive },
    ],
    ['that was not offered', 'node_modules/a', { optional: true }],
  ])('may hold a package %s', (_, path, locked) => {
    expect(flaws({ [path]: locked })).toEqual([]);
  });

  it.each<[string, LockedPackage]>([
    ['without a hash', { version: '6.2.17' }],
    ['with a SHA-1', { ...jose, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['with two hashes', { ...jose, integrity: `sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= ${integrity}` }],
    ['with half a hash', { ...jose, integrity: integrity.slice(0, 40) }],
    ['without a version', { integrity }],
    ['without a version, of the registry', { optional: true, resolved: archive }],
    ['of another host', { ...jose, resolved: archive.replace('npmjs', 'npmjs.example') }],
    ['over http', { ...jose, resolved: archive.replace('https', 'http') }],
    ['of a repository', { ...jose, resolved: 'git+ssh://git@example.com/jose.git#abc' }],
    ['of another name', { ...jose, resolved: archive.replaceAll('jose', 'josee') }],
    ['of another version', { ...jose, resolved: archive.replace('6.2.17', '6.2.18') }],
    ['that is a link', { ...jose, link: true }],
    ['that says it is bundled, and lies in none', { version: '6.2.17', inBundle: true }],
  ])('may not hold a package %s', (_, locked) => {
    expect(flaws({ 'node_modules/jose': locked })).toHaveLength(1);
  });

  it('may hold a package without a hash within one that has it', () => {
    const within = { version: '1.0.0', inBundle: true };
    const path = 'node_modules/jose/node_modules/a';
    const deeper = `${path}/node_modules/b`;
    expect(flaws({ 'node_modules/jose': jose, [path]: within, [deeper]: within })).toEqual([]);
    expect(flaws({ [path]: within })).toEqual([`${path} has no SHA-512.`]);
    expect(flaws({ 'node_modules/jose': jose, [path]: { version: '1.0.0' } })).toHaveLength(1);
  });

  it('may not hold folders, nor be of an old form', () => {
    expect(flaws({ 'packages/a': { version: '1.0.0' } })).toHaveLength(1);
    expect(flaws({}, 1)).toEqual(['Its lockfileVersion is not 3.']);
  });
});
