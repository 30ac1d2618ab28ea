import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dataFolder } from '../commands/cli/state.ts';
import { root } from '../project.ts';

/** The package of this system; docs/local.md lists those that exist. */
const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/**
 * Where npm installs it, relative to the project. In the project's own `node_modules`, npm would remove what
 * the lock file does not list, and npm 10 also the link to the project's Node.js.
 */
const PREFIX = '.local';

/**
 * The path of the embedded DynamoDB for this system. If it is not installed, npm installs it, which checks
 * its integrity.
 * @param report gets what is about to be done
 * @throws Error with the command to run if npm cannot install it.
 */
export async function databaseBinary(
  report: (text: string) => void,
  { name = PACKAGE, env = process.env } = {},
): Promise<string> {
  const installed = find(name);
  if (installed !== undefined) return installed;
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  // All its packages have the same version, but the lock file lists this one alone.
  const version: string = manifest.optionalDependencies['@dynoxide/linux-x64'];
  const command = `npm install --no-save --ignore-scripts --prefix ${PREFIX} ${name}@${version}`;
  report(`The embedded DynamoDB is not installed. Installing it now:\n\n  ${command}\n`);
  await promisify(exec)(command, { cwd: fileURLToPath(root), env }).catch((cause) => {
    throw new Error(
      `npm could not install the embedded DynamoDB:\n\n${cause.stderr || cause.message}\n` +
        `Run this in the project's folder, and then start again:\n\n  ${command}\n\n` +
        'Or use DynamoDB Local in Docker (docs/local.md).',
      { cause },
    );
  });
  const binary = find(name);
  if (binary === undefined) throw new Error(`The package ${name} is not as expected.`);
  return binary;
}

function find(name: string): string | undefined {
  // This finds it in the project's own node_modules too.
  const { resolve } = createRequire(join(dataFolder(PREFIX), 'package.json'));
  try {
    return resolve(`${name}/dynoxide${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    return undefined;
  }
}
