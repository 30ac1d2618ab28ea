/** What of package.json is checked. */
export interface Manifest {
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

/** An entry of package-lock.json (https://docs.npmjs.com/cli/configuring-npm/package-lock-json). */
export interface LockedPackage {
  /** Where it differs from the name of its folder. */
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  /** Whether it comes within the archive of the package that it lies in. */
  inBundle?: boolean;
  link?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  license?: string;
}

export interface LockFile {
  lockfileVersion: number;
  packages: Readonly<Record<string, LockedPackage>>;
}

const REGISTRY = 'https://registry.npmjs.org/';
/** A version as Semantic Versioning 2.0.0 has it: no range, no tag, no address. */
const EXACT = /^\d+\.\d+\.\d+(-[\w.-]+)?$/;
/** The Base64 of the 64 bytes of a SHA-512 (Subresource Integrity, section 3.1). */
const SHA512 = /^sha512-[A-Za-z\d+/]{86}==$/;

/** The dependencies of package.json whose version is not exact. */
export function looseVersions(manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${name} is ${version}: pin one version.`);
}

/**
 * What is wrong with a lock file. Each package must have the SHA-512 of its archive, unless it comes
 * within the archive of another, and must come from the registry. npm may leave the address out: it
 * then asks the registry that it is set up with.
 */
export function flawsOf({ lockfileVersion, packages }: LockFile): string[] {
  const flaws = Object.entries(packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, locked]) => {
      const flaw = flawOf(path, locked, packages);
      return flaw === undefined ? [] : [`${path} ${flaw}`];
    });
  return lockfileVersion === 3 ? flaws : ['Its lockfileVersion is not 3.', ...flaws];
}

function flawOf(path: string, locked: LockedPackage, packages: LockFile['packages']) {
  const { version, resolved, integrity, inBundle, link, optional } = locked;
  const name = locked.name ?? nameIn(path);
  if (link || !path.startsWith('node_modules/')) return 'is a folder, not a package.';
  if (resolved !== undefined && resolved !== archiveOf(name, version)) {
    return `does not come from ${REGISTRY}${name}.`;
  }
  // An optional package that the registry did not offer: npm installs nothing.
  if (version === undefined && optional && integrity === undefined) return undefined;
  if (version === undefined || !EXACT.test(version)) return 'has no version.';
  if (integrity === undefined && inBundle && isWithin(path, packages)) return undefined;
  return SHA512.test(integrity ?? '') ? undefined : 'has no SHA-512.';
}

const nameIn = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13);

const archiveOf = (name: string, version = '') =>
  `${REGISTRY}${name}/-/${name.split('/').at(-1)}-${version}.tgz`;

/** Whether a package lies in another that has a SHA-512 of its own, which holds for both. */
function isWithin(path: string, packages: LockFile['packages']): boolean {
  const end = path.lastIndexOf('/node_modules/');
  if (end === -1) return false;
  const parent = path.slice(0, end);
  return packages[parent]?.integrity !== undefined || isWithin(parent, packages);
}
