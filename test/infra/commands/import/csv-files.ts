import fc from 'fast-check';
import type { Columns } from '../../../../infra/commands/import/csv-columns.ts';

/** A generated CSV file. */
interface CsvFile {
  bytes: Buffer;
  columns: Columns;
  /** The rows below the header, with their numbers in a spreadsheet and the intended values. */
  rows: { number: number; values: Readonly<Record<string, string>> }[];
  fault: (typeof FAULTS)[number];
  /** The row that has the fault. If the header has the fault, the number has no meaning. */
  faultyRow: number;
}

const FAULTS = [
  'none',
  'short row',
  'long row',
  'column missing',
  'column twice',
  'quote in a field',
  'text after a quote',
  'quote not closed',
  'another encoding',
] as const;
const ENCODINGS = ['utf-8', 'utf-8 with mark', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
const COLUMNS: readonly [name: string, field: string][] = [
  ['Job', 'job_id'],
  ['Candidate ID', 'user_id'],
  ['Name, full', 'name'],
  ['E-mail', 'email'],
  ['Phone "mobile"', 'phone'],
  ['Summary; long', 'summary'],
  ['Pünktzahl', 'score'],
  ['Date', 'created_at'],
];
const ASCII = [...'aZ09-_ .\'"",;|\t\n\r', '\r\n'];
const LETTERS = {
  'windows-1252': [...ASCII, 'é', 'ß', 'ÿ'],
  'another encoding': ASCII,
  unicode: [...ASCII, 'é', 'ß', 'ÿ', '求', '😀', 'Ł'],
};

const choices = fc.record({
  fault: fc.oneof(fc.constant('none' as const), fc.constantFrom(...FAULTS)),
  encoding: fc.constantFrom(...ENCODINGS),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimal: fc.constantFrom('.' as const, ',' as const),
  /** The line ends, which take turns. */
  ends: fc.constantFrom(['\n'], ['\r\n'], ['\r'], ['\r\n', '\n', '\r', '\n']),
  isEnded: fc.boolean(),
  /** One of this number of cells has quotation marks that the cell does not need. */
  quoted: fc.constantFrom(1, 3, 1000),
  /** Whether a blank row follows each row. */
  isSpaced: fc.boolean(),
  order: fc.shuffledSubarray([...COLUMNS], { minLength: COLUMNS.length }),
  count: fc.integer({ min: 1, max: 12 }),
  nth: fc.nat(),
});
type Choices = typeof choices extends fc.Arbitrary<infer T> ? T : never;

const file = choices.chain((how) => {
  const letters = how.fault === 'another encoding' ? how.fault : how.encoding;
  const some =
    LETTERS[letters === 'windows-1252' || letters === 'another encoding' ? letters : 'unicode'];
  const text = fc.array(fc.constantFrom(...some), { maxLength: 8 }).map((all) => all.join(''));
  const cells = fc.record({ text, phone: text, score: fc.nat(1000) });
  return fc
    .array(cells, { minLength: how.count, maxLength: how.count })
    .map((all) => fileOf(how, all));
});

function fileOf(
  how: Choices,
  cells: readonly { text: string; phone: string; score: number }[],
): CsvFile {
  const { fault, delimiter, order, nth } = how;
  const isMisread = fault === 'another encoding';
  const step = how.isSpaced ? 2 : 1;
  const rows = cells.map(({ text, phone, score }, at) => ({
    number: 2 + at * step,
    values: {
      job_id: '4007',
      user_id: `c-${at}`,
      name: isMisread && at === nth % cells.length ? 'Zoé' : `N${text}N`,
      email: score % 3 === 0 ? '' : `c-${at}@example.com`,
      phone,
      summary: text,
      score: score % 5 === 0 ? '' : `${score / 8}`.replace('.', how.decimal),
      created_at: `2026-09-${10 + at}`,
    } as Record<string, string>,
  }));
  const faultyRow = 2 + (nth % rows.length) * step;
  const names = order.map(([name]) => (isMisread ? name.replace('ü', 'u') : name));
  const header = [...names];
  if (fault === 'column missing') header[nth % header.length] = 'Mail';
  if (fault === 'column twice') header.push(names[nth % names.length] ?? '');
  let cellCount = 0;
  const quoted = (cell: string) => {
    cellCount += 1;
    const isNeeded = /["\r\n]/.test(cell) || cell.includes(delimiter);
    if (!isNeeded && cellCount % how.quoted !== 0) return cell;
    return `"${cell.replaceAll('"', '""')}"`;
  };
  const line = (values: string[], number: number) => {
    const written = values.map(quoted);
    // A later quotation mark could close the open field, so the other cells have none.
    const isOpen = fault === 'quote not closed' && number >= faultyRow;
    if (isOpen) for (const [at] of written.entries()) written[at] = 'x';
    if (number !== faultyRow) return written.join(delimiter);
    if (fault === 'short row') written.pop();
    if (fault === 'long row') written.push('');
    if (fault === 'quote in a field') written[nth % 8] = 'Jo "Bo" Doe';
    if (fault === 'text after a quote') written[nth % 8] = '"Jo" Doe';
    if (isOpen) written[nth % 8] = '"x';
    return written.join(delimiter);
  };
  const lines = [line(header, 1)];
  for (const { number, values } of rows) {
    if (how.isSpaced && number > 2) lines.push('');
    lines.push(
      line(
        order.map(([, field]) => values[field] ?? ''),
        number,
      ),
    );
  }
  const ended = lines.map((each, at) => {
    const isLast = at === lines.length - 1;
    // A CR and a blank row that ends with LF would together be one line end.
    const ends = each === '' ? how.ends.slice(0, 1) : how.ends.slice(how.isSpaced ? -1 : 0);
    return isLast && !how.isEnded ? each : `${each}${ends[at % ends.length]}`;
  });
  const encoding = isMisread ? 'windows-1252' : how.encoding;
  const columns: Columns = {
    delimiter,
    decimal_sign: how.decimal,
    date_format: 'yyyy-MM-dd',
    missing_email: 'invalid-address',
    constants: { stage_id: 'applied', stage_title: 'Applied' },
    columns: Object.fromEntries(names.map((name, at) => [name, order[at]?.[1] ?? null])),
    ...(encoding === 'windows-1252' && !isMisread && { encoding }),
  };
  return { bytes: encoded(ended.join(''), encoding), columns, rows, fault, faultyRow };
}

function encoded(content: string, encoding: (typeof ENCODINGS)[number]): Buffer {
  if (encoding === 'utf-8') return Buffer.from(content);
  // The generated letters have the same codes in Latin-1.
  if (encoding === 'windows-1252') return Buffer.from(content, 'latin1');
  const marked = `\ufeff${content}`;
  if (encoding === 'utf-8 with mark') return Buffer.from(marked);
  const little = Buffer.from(marked, 'utf16le');
  return encoding === 'utf-16le' ? little : little.swap16();
}

/** Returns random CSV files, with and without a fault. */
export const csvFiles = (numRuns: number, seed: number): CsvFile[] =>
  fc.sample(file, { numRuns, seed });
