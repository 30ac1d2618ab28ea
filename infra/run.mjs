// Usage: node infra/run.mjs PROGRAM [ARGUMENT …]
//
// In JavaScript, because an old Node.js cannot load TypeScript, and its error mentions only a file extension.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `This command needs Node.js 24 or later, but runs on Node.js ${process.versions.node}. Run ` +
      '"npm rebuild --ignore-scripts", which links the Node.js 24 that "npm ci" has installed. On Apple ' +
      'silicon and Windows on ARM, npm has no current Node.js 24, so install Node.js 24 yourself (docs/local.md).\n',
  );
  process.exit(1);
}

// Leaves `argv` as if the program had been started directly.
process.argv.splice(1, 1);
process.argv[1] = resolve(process.argv[1] ?? '');
await import(pathToFileURL(process.argv[1]).href).catch((error) => {
  const [place] = String(error?.stack).split('\n');
  if (error?.code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' || !place.includes('infra/stack/stages/'))
    throw error;
  process.stderr.write(
    `${place} is not TypeScript. Write the settings between the braces after "settings:", without braces of their own: ${error.message}.\n`,
  );
  process.exit(1);
});
