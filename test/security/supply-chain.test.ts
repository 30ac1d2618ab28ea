import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import mutation from '../mutation/package.json' with { type: 'json' };

/** See https://docs.npmjs.com/cli/configuring-npm/package-lock-json. */
interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  libc?: string[];
}

const root = join(import.meta.dirname, '../..');
/** Keyed by install path, such as `node_modules/zod`. */
function lockedIn(folder: string): Record<string, LockedPackage> {
  return JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')).packages;
}
const packages = lockedIn('.');
const mutationPackages = lockedIn('test/mutation');
const entries = [packages, mutationPackages]
  .flatMap(Object.entries<LockedPackage>)
  .filter(([path]) => path !== '');

/** Semantic Versioning 2.0.0: no range, tag or address. */
const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
/** Subresource Integrity, section 3.1. */
const SHA512 = /^sha512-[A-Za-z\d+/]{86}==$/;

function isLocked(path: string, locked: LockedPackage): boolean {
  const { version, resolved, integrity, inBundle } = locked;
  if (!path.startsWith('node_modules/') || version === undefined) return false;
  if (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')) return false;
  // Bundled packages are part of their parent's archive.
  const parent = packages[path.slice(0, path.lastIndexOf('/node_modules/'))];
  return SHA512.test((inBundle ? parent?.integrity : integrity) ?? '');
}

describe('the supply chain', () => {
  it('names one exact version of every dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const versions = {
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
      ...mutation.devDependencies,
    };
    expect(Object.entries(versions).filter(([, version]) => !EXACT.test(version))).toEqual([]);
  });

  it('locks every package to a version and the SHA-512 of its archive in the npm registry', () => {
    expect(entries.filter(([path, locked]) => !isLocked(path, locked))).toEqual([]);
  });

  it('keeps the `libc` of musl packages in the lock file, so that other systems do not install them', () => {
    const musl = entries.filter(([path]) => path.endsWith('-musl'));
    expect(musl.length).toBeGreaterThan(0);
    for (const [path, { libc }] of musl) expect(libc, path).toEqual(['musl']);
  });

  it('names each GitHub action by the hash of a commit, because a tag can be moved', () => {
    const folder = join(root, '.github/workflows');
    const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const used = workflows.flatMap((text) => text.match(/uses: (?!\.\/).*/g) ?? []);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/@[\da-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
  });

  it('needs no install script', () => {
    const scripted = entries.filter(([, { hasInstallScript }]) => hasInstallScript);
    // esbuild's script only replaces its launcher with the program, which then starts sooner.
    expect(scripted.map(([path]) => path)).toEqual(['node_modules/esbuild']);
  });
});
