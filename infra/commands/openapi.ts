// npm run openapi: writes functions/contract/openapi.json; with --check, only compares it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../functions/contract/openapi.ts';
import manifest from '../../package.json' with { type: 'json' };
import { root, writeChanged } from '../build/files.ts';

const NAME = 'functions/contract/openapi.json';
const path = fileURLToPath(new URL(NAME, root));
const text = `${JSON.stringify(openApiDocument(manifest.version), null, 2)}\n`;

const [flag, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (flag !== undefined && flag !== '--check')) {
  fail(2, `Unknown arguments: ${process.argv.slice(2).join(' ')}. The one flag is --check.`);
} else if (flag === undefined) {
  await writeChanged(path, Buffer.from(text));
} else if ((await readFile(path, 'utf8').catch(() => undefined)) !== text) {
  fail(1, `${NAME} differs from what the contract says: run npm run openapi.`);
}

function fail(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
