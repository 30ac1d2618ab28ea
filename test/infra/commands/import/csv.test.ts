import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SchemaObject } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import schema from '../../../../docs/csv-columns.schema.json' with { type: 'json' };
import type { Columns } from '../../../../infra/commands/import/csv-columns.ts';
import { recordSchemas } from '../../../../infra/writer/record-schema.ts';
import { scaled, seed } from '../../../security/random-cases.ts';
import { storedIn } from '../../../support/candidates.ts';
import { runImport } from '../../../support/operator-command.ts';
import { createTestTable } from '../../../support/table.ts';
import { csvFiles } from './csv-files.ts';
import { importCsv } from './csv-import.ts';

/** Returns the attributes that a row must store: the trimmed values that are not empty. */
function storedOf({ score = '', created_at, ...texts }: Readonly<Record<string, string>>) {
  const trimmed = Object.entries(texts).map(([field, text]) => [field, text.trim()]);
  return Object.fromEntries([
    ['email', `${texts.user_id}@no-address.invalid`],
    ...trimmed.filter(([, text]) => text !== ''),
    ...(score === '' ? [] : [['score', Number(score.replace(',', '.'))]]),
    ['created_at', `${created_at}T00:00:00.000Z`],
    ['stage_id', 'applied'],
    ['stage_title', 'Applied'],
  ]);
}

/** The reasons with which the import refuses a row, by fault. */
const REFUSALS = {
  'short row': /^the row has 7 fields, but the header has 8$/,
  'long row': /^the row has 9 fields, but the header has 8$/,
};
/** The errors that stop the import, by fault. */
const ERRORS = {
  'column missing': () => /^The header has no column "/,
  'column twice': () => /^The header has several columns "/,
  'quote in a field': (row: number) => new RegExp(`^Row ${row} has a misplaced quotation mark`),
  'text after a quote': (row: number) => new RegExp(`^Row ${row} has a misplaced quotation mark`),
  'quote not closed': (row: number) => new RegExp(`^Row ${row} has a misplaced quotation mark`),
  'another encoding': (row: number) =>
    new RegExp(`^Row ${row} has bytes that are not utf-8\\..*iconv`),
};

it('imports random CSV files exactly, or names the faulty row', async () => {
  for (const file of csvFiles(scaled(2000), seed())) {
    const { fault, faultyRow } = file;
    const { items, refused, error } = await importCsv(file.bytes, file.columns);
    const stop = fault in ERRORS ? ERRORS[fault as keyof typeof ERRORS](faultyRow) : undefined;
    expect(error, fault).toEqual(stop && expect.stringMatching(stop));
    const isHeaders = fault.startsWith('column');
    const read = file.rows.filter(({ number }) => !stop || (!isHeaders && number < faultyRow));
    const refusal = fault in REFUSALS && REFUSALS[fault as keyof typeof REFUSALS];
    expect(refused).toEqual(refusal ? { [faultyRow]: expect.stringMatching(refusal) } : {});
    const imported = read.filter(({ number }) => !(number in refused));
    const stored = Object.entries(items).map(
      ([row, { pk, sk, candidate_pk, tenant_id, ...item }]) => [Number(row), item],
    );
    expect(stored).toEqual(imported.map(({ number, values }) => [number, storedOf(values)]));
  }
});

describe('npm run import with a CSV file', () => {
  const rows = [
    'Job ID;Candidate ID;Full name;E-mail;Applied',
    '4007;c-1;Zoé Example;zoe@example.com;14.09.2026 12:30',
    '4007;c-2;Tom Example;;14.09.2026 12:30',
    '4007;c-3;Tom Example',
    '4007;c-4;Ana Example;ana@example.com;31.09.2026 12:30',
  ];
  const directory = mkdtempSync(join(tmpdir(), 'recruitment-csv-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const fileOf = (content: string | Buffer) => {
    const path = join(directory, crypto.randomUUID());
    writeFileSync(path, content);
    return path;
  };
  const filledIn = (template: string, more: Partial<Columns> = {}) => {
    const { columns, ...rest }: Columns = JSON.parse(template);
    const named = { 'Candidate ID': 'user_id', 'Full name': 'name', Applied: 'created_at' };
    const how = { date_format: 'dd.MM.yyyy HH:mm', time_zone: 'Europe/Berlin', ...more };
    return fileOf(JSON.stringify({ ...rest, ...how, columns: { ...columns, ...named } }));
  };

  it('prints a template of a columns file, and imports with the completed file', async () => {
    const table = await createTestTable();
    const file = fileOf(Buffer.from(rows.slice(0, 3).join('\r\n'), 'latin1'));
    const template = await runImport([file, '--print-columns']);
    expect([template.exitCode, template.err]).toEqual([0, '']);
    expect(JSON.parse(template.out)).toMatchObject({
      delimiter: ';',
      encoding: 'windows-1252',
      columns: { 'Job ID': 'job_id', 'Candidate ID': null, 'E-mail': 'email' },
    });
    const columns = filledIn(template.out, { missing_email: 'invalid-address' });
    const ended = await runImport([file, '--columns', columns, '--table', table.name]);
    expect(ended).toMatchObject({ exitCode: 0, err: '' });
    expect(await storedIn(table)).toMatchObject([
      { name: 'Zoé Example', email: 'zoe@example.com', created_at: '2026-09-14T10:30:00.000Z' },
      { name: 'Tom Example', email: 'c-2@no-address.invalid' },
    ]);
  });

  it('numbers refused rows like a spreadsheet, and writes them to a file that can be imported', async () => {
    const file = fileOf(Buffer.from(`\ufeff${rows.join('\n')}`, 'utf16le'));
    const { out } = await runImport([file, '--print-columns']);
    const columns = filledIn(out);
    const rejects = join(directory, 'rejects.csv');
    const args = ['--dry-run', '--columns', columns];
    const { err } = await runImport([file, ...args, '--rejects', rejects]);
    const [email, length, date, ...others] = err.split('\n');
    expect(email).toMatch(/^row 3: \/email /);
    expect(length).toMatch(/^row 4: .*3 fields.*5$/);
    expect(date).toMatch(/^row 5: created_at .*dd\.MM\.yyyy HH:mm$/);
    expect(others).toEqual(['']);
    const kept = readFileSync(rejects, 'utf8');
    expect(kept).toBe(`\ufeff${[rows[0], ...rows.slice(2)].join('\n')}\n`);
    const corrected = kept.replace(';;', ';t@example.com;').replace('31.', '30.');
    const again = await runImport([fileOf(corrected), ...args]);
    expect(again.out).toContain('2 applications would be written, 1 line refused');
    const rest = await runImport([file, ...args, '--from-line', '5']);
    expect(rest.err).toMatch(/^row 5: [^\n]*\n$/);
  });

  it.each([
    [{ columns: {} }, '/columns'],
    [{ delimiter: ';;' }, '/delimiter'],
    [{ time_zone: 'Berlin' }, 'time_zone'],
    [{ date_format: 'dd.mm.yyyy' }, 'date_format'],
    [{ date_format: 'dd.MM.yyyy HH:MM' }, 'date_format'],
    [{ date_format: 'DD.MM.YYYY' }, 'date_format'],
    [{ constants: { name: 'x' } }, 'name has a column and a constant'],
    [{ constants: {} }, 'stage_id, stage_title'],
    [{ defaults: { city: 'Berlin' } }, '"constants"'],
    [{ quotes: false, delimiter: ',', decimal_sign: ',' }, 'decimal_sign'],
  ] as const)('refuses an invalid columns file: %j', async (part, named) => {
    const { out } = await runImport([fileOf(rows.join('\n')), '--print-columns']);
    const valid = JSON.parse(readFileSync(filledIn(out), 'utf8'));
    const columns = fileOf(JSON.stringify({ ...valid, ...part }));
    const ended = await runImport(['-', '--dry-run', '--columns', columns]);
    expect(ended).toMatchObject({ exitCode: 2, err: expect.stringContaining(named) });
  });

  it.each(['', 'one column\n1\n'])('prints no template for %j', async (content) => {
    const ended = await runImport([fileOf(content), '--print-columns']);
    expect(ended).toMatchObject({
      exitCode: 1,
      out: '',
      err: expect.stringContaining('first row'),
    });
  });

  it('reads quotation marks as part of the value if the columns file says so', async () => {
    const file = fileOf(
      [rows[0], '4007;c-1;Tom "T" Example;t@example.com;14.09.2026 12:30'].join('\n'),
    );
    const { out } = await runImport([file, '--print-columns']);
    const ended = await runImport([
      file,
      '--dry-run',
      '--columns',
      filledIn(out, { quotes: false }),
    ]);
    expect(ended).toMatchObject({ exitCode: 0, err: '' });
  });

  it.each(['yyyy-MM-dd', 'dd.MM.yy', 'M/d/yyyy h:mm a', "d. MMMM yyyy, HH:mm:ss 'Uhr'"])(
    'accepts the date_format %s',
    async (format) => {
      const { out } = await runImport([fileOf(rows.join('\n')), '--print-columns']);
      const columns = filledIn(out, { date_format: format });
      const { err } = await runImport([fileOf(rows.join('\n')), '--columns', columns, '--dry-run']);
      expect(err).toMatch(/^row 2: created_at /);
    },
  );

  it('refuses a row that would replace an earlier row', async () => {
    const file = fileOf([...rows.slice(0, 2), rows[1]].join('\n'));
    const { out } = await runImport([file, '--print-columns']);
    const { err } = await runImport([file, '--dry-run', '--columns', filledIn(out)]);
    expect(err).toBe('row 3: the row would replace row 2: it has the same job_id and user_id\n');
  });

  it('refuses a UTF-8 file if the columns file says Windows-1252', async () => {
    const file = fileOf(rows.slice(0, 2).join('\n'));
    const { out } = await runImport([file, '--print-columns']);
    const columns = filledIn(out, { encoding: 'windows-1252' });
    const ended = await runImport([file, '--dry-run', '--columns', columns]);
    expect(ended).toMatchObject({ exitCode: 1, err: expect.stringContaining('UTF-8') });
  });

  it('stops at a quotation mark that is never closed', async () => {
    const file = fileOf(`${rows[0]}\n4007;"${'x\n'.repeat(3_000_000)}`);
    const { out } = await runImport([file, '--print-columns']);
    const ended = await runImport([file, '--dry-run', '--columns', filledIn(out)]);
    expect(ended).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/Row 2 .*"quotes": false/),
    });
  });
});

it('has a name for every field of an application that is not a list', () => {
  const fields = Object.entries<SchemaObject>(recordSchemas.application.properties)
    .filter(([, { type }]) => type !== undefined && ![type].flat().includes('array'))
    .map(([field]) => field);
  const known = schema.$defs.field.enum;
  expect(known.toSorted()).toEqual(fields.filter((field) => field !== 'revision').toSorted());
});
