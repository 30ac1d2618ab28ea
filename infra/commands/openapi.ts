// npm run openapi: writes the documents of functions/contract/; with --check, only compares them.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { jobStatusChangedDocument } from '../../functions/contract/job-status-changed.ts';
import { openApiDocument } from '../../functions/contract/openapi.ts';
import manifest from '../../package.json' with { type: 'json' };
import { root, writeChanged } from '../build/files.ts';
import { runCommand } from './command.ts';

const documents = {
  'functions/contract/openapi.json': openApiDocument(manifest.version),
  'functions/contract/job-status-changed.schema.json': jobStatusChangedDocument(),
};

const USAGE = `Usage: npm run openapi -- [--check]

Writes ${Object.keys(documents).join(' and ')};
with --check, only fails where one is not what the contract says.
`;

await runCommand(USAGE, async () => {
  const { help, check } = readArguments();
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  for (const [name, document] of Object.entries(documents)) {
    const path = fileURLToPath(new URL(name, root));
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (!check) {
      await writeChanged(path, Buffer.from(text));
    } else if ((await readFile(path, 'utf8').catch(() => undefined)) !== text) {
      throw new Error(`${name} differs from what the contract says: run npm run openapi.`);
    }
  }
  return undefined;
});

function readArguments() {
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({ options: { help: flag, check: flag } }).values;
}
