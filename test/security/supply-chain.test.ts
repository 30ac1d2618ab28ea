import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { operationNames } from '../../functions/contract/operations.ts';
import { bundleFolder } from '../../infra/bundle/bundles.ts';
import manifest from '../../package.json' with { type: 'json' };
import { printCounts } from './random-cases.ts';

const root = new URL('../../', import.meta.url);
/** An entry of package-lock.json (https://docs.npmjs.com/cli/configuring-npm/package-lock-json). */
interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  inBundle?: boolean;
  link?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  license?: string;
}
const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(new URL('package-lock.json', root), 'utf8'),
);

/** A version of Semantic Versioning 2.0.0: no range, tag or address. */
const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
/** The Base64 of the 64 bytes of a SHA-512 (Subresource Integrity, section 3.1). */
const SHA512 = /^sha512-[A-Za-z\d+/]{86}==$/;

/** Licences that ask for no more than a notice. */
const LICENCES = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

/**
 * Packages that would run a script if scripts were allowed. That of esbuild replaces its launcher by the
 * program that it launches, to start sooner: it does without.
 */
const WITH_SCRIPT = ['node_modules/esbuild'];

/** The innermost package that a source lies in. */
const FOLDER = /node_modules\/(.*node_modules\/)?(@[^/]+\/)?[^/]+/;

/** The packages whose code is in the bundles, by their folders, as the source maps name them. */
function bundled(): string[] {
  const folders = operationNames.flatMap((name) => {
    const { sources } = JSON.parse(readFileSync(`${bundleFolder(name)}/index.mjs.map`, 'utf8'));
    return sources.flatMap((source: string) => FOLDER.exec(source)?.[0] ?? []);
  });
  return [...new Set<string>(folders)];
}

interface Sbom {
  bomFormat: string;
  components: { name: string; version: string; hashes?: { alg: string }[] }[];
}

describe('the supply chain', () => {
  const deployed = bundled();
  const counts = { locked: Object.keys(packages).length - 1, bundled: deployed.length, listed: 0 };
  afterAll(() => printCounts('packages', counts));

  it('names one exact version of every dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };
    expect(Object.entries(versions).filter(([, version]) => !EXACT.test(version))).toEqual([]);
  });

  it('locks every package to the SHA-512 of an archive of the npm registry', () => {
    const unlocked = Object.entries(packages).filter(([path, locked]) => {
      if (path === '') return false;
      const { version, resolved, integrity, inBundle, link, optional } = locked;
      if (link || !path.startsWith('node_modules/')) return true;
      if (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
        return true;
      // npm installs nothing for an optional package that the registry does not offer.
      if (optional && version === undefined && integrity === undefined) return false;
      // A bundled package comes in the archive of the package around it.
      const parent = packages[path.slice(0, path.lastIndexOf('/node_modules/'))];
      return !SHA512.test((inBundle ? parent?.integrity : integrity) ?? '');
    });
    expect(unlocked).toEqual([]);
  });

  it('has the actions of its workflows by the hash of their commit, because a tag can be moved', () => {
    const folder = new URL('.github/workflows/', root);
    const used = readdirSync(folder).flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/uses: *(.*)/g)].map(
        ([, action = '']) => action,
      ),
    );
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/@[\da-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
  });

  it('runs no install script but those that it can do without', () => {
    const scripted = Object.entries(packages).filter(
      ([, { hasInstallScript }]) => hasInstallScript,
    );
    expect(scripted.map(([path]) => path)).toEqual(WITH_SCRIPT);
    expect(WITH_SCRIPT.filter((path) => deployed.includes(path))).toEqual([]);
  });

  it('brings into the functions what may be used and passed on', () => {
    expect(deployed.length).toBeGreaterThan(10);
    expect(deployed.filter((path) => !LICENCES.includes(packages[path]?.license ?? ''))).toEqual(
      [],
    );
  });

  it('is listed by npm run sbom, with the hashes of what is in the functions and what builds them', () => {
    const listed: Sbom = JSON.parse(
      execFileSync('npm', ['run', '--silent', 'sbom'], {
        cwd: fileURLToPath(root),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    counts.listed = listed.components.length;
    expect(listed.bomFormat).toBe('CycloneDX');
    const hashed = listed.components.filter(({ hashes }) => hashes?.[0]?.alg === 'SHA-512');
    const names = hashed.map(({ name, version }) => `${name} ${version}`);
    // `--omit dev` would leave out what both the functions and the tests need, such as jose.
    const wanted = [...deployed, 'node_modules/esbuild', 'node_modules/aws-cdk-lib'].map(
      (path) => `${path.split('node_modules/').at(-1)} ${packages[path]?.version}`,
    );
    expect(names).toEqual(expect.arrayContaining(wanted));
  });
});
