// Runs a program of this project: node infra/run.mjs PROGRAM [ARGUMENT …]
//
// A Node.js that is too old cannot load a program in TypeScript. Its error names a file extension, so this launcher
// checks the version first. The launcher is JavaScript that such a Node.js can run.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `This command needs Node.js 24 or later, and runs on Node.js ${process.versions.node}. Run ` +
      '"npm rebuild --ignore-scripts", which links the Node.js 24 that "npm ci" has installed. On Apple ' +
      'silicon and Windows on ARM, npm has no current Node.js 24, so install Node.js 24 yourself (docs/local.md).\n',
  );
  process.exit(1);
}

// The program finds its arguments where it would find them without the launcher.
process.argv.splice(1, 1);
process.argv[1] = resolve(process.argv[1] ?? '');
await import(pathToFileURL(process.argv[1]).href);
