import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dataFolder } from '../cli/state.ts';
import { root } from '../project.ts';

/** The package of this system; docs/local.md lists those that exist. */
const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;
const isWindows = process.platform === 'win32';

/**
 * Where npm installs it, relative to the project. In the project's own `node_modules`, npm would remove what
 * the lock file does not list, and npm 10 also the link to the project's Node.js.
 */
const PREFIX = '.local';

const ENDPOINT = 'http://127.0.0.1:8000';
/** A command for PowerShell on Windows, for a POSIX shell elsewhere. */
const WITH_DYNAMODB_LOCAL =
  'docker run --rm -d -p 8000:8000 amazon/dynamodb-local' +
  (isWindows
    ? `; $env:AWS_ENDPOINT_URL_DYNAMODB='${ENDPOINT}'; npm start`
    : ` && AWS_ENDPOINT_URL_DYNAMODB=${ENDPOINT} npm start`);

/**
 * The path of the embedded DynamoDB for this system. If it is not installed, npm installs it, which checks
 * its integrity.
 * @param report gets what is about to be done
 * @throws Error with the commands to run if npm cannot install it.
 */
export async function databaseBinary(report: (text: string) => void): Promise<string> {
  return findBinary() ?? (await install(report));
}

function findBinary(): string | undefined {
  // This finds it in the project's own node_modules too.
  const { resolve } = createRequire(join(dataFolder(PREFIX), 'package.json'));
  try {
    return resolve(`${PACKAGE}/dynoxide${isWindows ? '.exe' : ''}`);
  } catch {
    return undefined;
  }
}

async function install(report: (text: string) => void): Promise<string> {
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  // All its packages have the same version, but the lock file lists this one alone.
  const version: string = manifest.optionalDependencies['@dynoxide/linux-x64'];
  const args = ['--no-save', '--ignore-scripts', '--prefix', PREFIX, `${PACKAGE}@${version}`];
  const command = `npm install ${args.join(' ')}`;
  const npm = process.env.npm_execpath ?? '';
  const failure = (why: string, cause?: unknown) =>
    new Error(
      `${why} Run this in the project's folder, and then start again:\n\n  ${command}\n\n` +
        `Or use DynamoDB Local in Docker:\n\n  ${WITH_DYNAMODB_LOCAL}\n`,
      { cause },
    );
  // Another package manager, or none, has started this.
  if (basename(npm) !== 'npm-cli.js') {
    throw failure(`The embedded DynamoDB (${PACKAGE}) is not installed.`);
  }
  report(`The embedded DynamoDB is not installed. Installing it now:\n\n  ${command}\n`);
  // npm's own file, because Windows starts npm.cmd only through a shell.
  await promisify(execFile)(process.execPath, [npm, 'install', ...args], {
    cwd: fileURLToPath(root),
  }).catch((error) => {
    throw failure(`npm could not install it:\n\n${error.stderr || error.message}\n`, error);
  });
  const binary = findBinary();
  if (binary === undefined) throw failure(`The package ${PACKAGE} is not as expected.`);
  return binary;
}
