import { readdirSync, readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../../../infra/commands/import/read-line.ts';

const recipes = new URL('../../../../docs/recipes/', import.meta.url);
const samples = new URL('recipes/', import.meta.url);
const names = readdirSync(recipes).map((file) => file.replace(/\.jq$/, ''));

const flags: Readonly<Record<string, string>> = {
  csv: '-R -s -c',
  greenhouse: '-s -c',
  'json-resume': '-c --arg job 4007 --arg candidate c-1 --arg created 2026-11-01T12:00:00Z',
};

const sample = (file: string) => readFileSync(new URL(file, samples), 'utf8');

/** What a recipe makes of its sample: the responses of a vendor's API, or a file. */
async function recordsOf(
  name: string,
  input = name === 'csv' ? sample('csv.csv') : responses(name),
  more = '',
) {
  const program = readFileSync(new URL(`${name}.jq`, recipes), 'utf8');
  const lines = await raw(input, program, `${flags[name] ?? '-c'} ${more}`.trim().split(' '));
  return lines.trimEnd().split('\n');
}

const responses = (name: string) =>
  JSON.parse(sample(`${name}.json`))
    .map((response: unknown) => JSON.stringify(response))
    .join('\n');

const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line));

describe('a recipe of docs/recipes', () => {
  it.each(names)('makes records of what %s has', async (name) => {
    const lines = await recordsOf(name);
    expect(parsed(lines)).toEqual(parsed(sample(`${name}.ndjson`).trimEnd().split('\n')));
    for (const line of lines) expect(readLine(Buffer.from(line))).toHaveProperty('item');
  });

  it('reads CSV with the delimiter and the decimal sign that it is given, and asks for them', async () => {
    const text = sample('csv.csv')
      .replaceAll(/,(?! )/g, ';')
      .replace('8.5', '8,5');
    const semicolon = '--arg delimiter ;';
    const records = await recordsOf('csv', text, `${semicolon} --arg decimal ,`);
    expect(parsed(records)).toEqual(parsed(await recordsOf('csv')));
    await expect(recordsOf('csv', text)).rejects.toThrow('name the delimiter');
    await expect(recordsOf('csv', text, semicolon)).rejects.toThrow('name its decimal sign');
  });
});
