// npm run lockfile: fails where package.json or package-lock.json would let in what nobody has seen.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { root } from '../build/files.ts';
import { flawsOf, type LockFile, looseVersions, type Manifest } from '../build/lock-file.ts';
import { runCommand } from './command.ts';

const USAGE = `Usage: npm run lockfile

Checks that package.json names exact versions, and that package-lock.json has the SHA-512 of every
package and, where it has an address at all, that of the public registry.
`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const read = async (name: string) => JSON.parse(await readFile(new URL(name, root), 'utf8'));
  const manifest: Manifest = await read('package.json');
  const lock: LockFile = await read('package-lock.json');
  const flaws = [...looseVersions(manifest), ...flawsOf(lock)];
  if (flaws.length > 0) throw new Error(flaws.join('\n'));
  process.stdout.write(`${Object.keys(lock.packages).length - 1} packages are locked.\n`);
  return undefined;
});
