import type { Readable } from 'node:stream';
import schema from '../../../docs/csv-columns.schema.json' with { type: 'json' };
import type { Columns } from './csv-columns.ts';
import { encodingOf, isUtf8, rowsOf } from './csv-rows.ts';

const fields: readonly string[] = schema.$defs.field.enum;

/** The delimiters that a template can have. */
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Returns the template of a columns file for a CSV header. The template maps each column to the field whose name has
 * the same letters and digits, or to null if there is no such field.
 */
function columnsTemplate(header: readonly string[], delimiter: string, encoding?: string): Columns {
  const guessed = header.map((column) => {
    const plain = plainOf(column);
    return [column, fields.find((field) => plainOf(field) === plain) ?? null] as const;
  });
  const columns = Object.fromEntries(guessed);
  const hiringStage = { stage_id: 'applied', stage_title: 'Applied' };
  const constants = Object.entries({ tenant: 'default', ...hiringStage }).filter(
    ([field]) => !guessed.some(([, guess]) => guess === field),
  );
  return {
    delimiter,
    ...(encoding !== undefined && { encoding }),
    decimal_sign: '.',
    date_format: 'yyyy-MM-dd',
    time_zone: 'UTC',
    missing_email: 'refuse',
    constants: Object.fromEntries(constants),
    defaults: {},
    columns,
  };
}

const plainOf = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the template of a columns file for a CSV file. The template has the delimiter that splits the header into the
 * most columns.
 * @throws Error if the first row has fewer than two columns.
 */
export async function templateFor(input: Readable): Promise<Columns> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(chunk);
    if (chunks.length === 4) break;
  }
  const bytes = Buffer.concat(chunks);
  const encoding = encodingOf(bytes) ?? (isUtf8(bytes) ? undefined : 'windows-1252');
  let best: { delimiter: string; header: string[] } | undefined;
  for (const delimiter of DELIMITERS) {
    const header = await headerOf(bytes, { delimiter, ...(encoding && { encoding }), columns: {} });
    if (header.length > (best?.header.length ?? 1)) best = { delimiter, header };
  }
  if (best === undefined) {
    throw new Error(
      'The first row must have at least two columns, separated by a comma, a semicolon, a tab or |.',
    );
  }
  const { header, delimiter } = best;
  return columnsTemplate(header, delimiter, encoding === 'utf-8' ? undefined : encoding);
}

async function headerOf(bytes: Buffer, columns: Columns): Promise<string[]> {
  try {
    const { value } = await rowsOf([bytes], columns).next();
    return value ? value.record.map((name: string) => name.trim()) : [];
  } catch {
    // If this delimiter is not the file's, a quotation mark may seem misplaced, and the parser fails.
    return [];
  }
}
