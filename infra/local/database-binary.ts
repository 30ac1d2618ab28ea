import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder } from '../command/service-state.ts';
import { root } from '../project.ts';

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

/**
 * Where to install the package. Not the project's `node_modules`: npm removes whatever the lock file does not list (npm
 * 10 even removes the link to the project's Node.js).
 */
const PREFIX = '.local';

/**
 * Installs a missing package with npm.
 * @throws Error if npm fails, with the command to run, or if the package has no program.
 */
export async function databaseBinary(
  report: (text: string) => void,
  { name = PACKAGE, env = process.env } = {},
): Promise<string> {
  const installed = find(name);
  if (installed !== undefined) return installed;
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // All platforms' packages share this version, but package.json lists only Linux on x64.
  const version: string = manifest.optionalDependencies['@dynoxide/linux-x64'];
  const command = `npm install --no-save --ignore-scripts --prefix ${PREFIX} ${name}@${version}`;
  report(`The embedded DynamoDB is not installed. Installing it now:\n\n  ${command}\n`);
  await promisify(exec)(command, { cwd: root, env }).catch((cause) => {
    throw new Error(
      `npm could not install the embedded DynamoDB:\n\n${cause.stderr || cause.message}\n` +
        `Run this command in the project's folder, then start again:\n\n  ${command}\n\n` +
        'Or use DynamoDB Local in Docker (docs/local.md).',
      { cause },
    );
  });
  const binary = find(name);
  if (binary === undefined) throw new Error(`The package ${name} has no program dynoxide.`);
  return binary;
}

function find(name: string): string | undefined {
  // Node.js looks in the data folder's node_modules first, and then in the project's.
  const { resolve } = createRequire(join(dataFolder(PREFIX), 'package.json'));
  try {
    return resolve(`${name}/dynoxide${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    return undefined;
  }
}
