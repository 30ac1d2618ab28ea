// npm run openapi: writes functions/contract/openapi.json; with --check, only compares it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openApiDocument } from '../../functions/contract/openapi.ts';
import manifest from '../../package.json' with { type: 'json' };
import { root, writeChanged } from '../build/files.ts';
import { runCommand } from './command.ts';

const NAME = 'functions/contract/openapi.json';

const USAGE = `Usage: npm run openapi -- [--check]

Writes ${NAME}; with --check, only fails where it is not what the contract says.
`;

await runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const path = fileURLToPath(new URL(NAME, root));
  const text = `${JSON.stringify(openApiDocument(manifest.version), null, 2)}\n`;
  if (!values.check) {
    await writeChanged(path, Buffer.from(text));
  } else if ((await readFile(path, 'utf8').catch(() => undefined)) !== text) {
    throw new Error(`${NAME} differs from what the contract says: run npm run openapi.`);
  }
  return undefined;
});
