const NEWLINE = 0x0a;

/**
 * The maximum length of a line, in bytes. Any record that fits into an item of 400 KB, DynamoDB's limit, has a shorter
 * line. Even if JSON takes six bytes (`\u0001`) for each byte of the item, the line has only about 2.4 MB.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const TOO_LONG = { reason: `the line is longer than ${MAX_LINE_BYTES} bytes` };

/** A line to import: a record as JSON, or the reason why the import refuses the line. */
export type Line = ({ bytes: Buffer; reason?: never } | { bytes?: never; reason: string }) & {
  /** The row of a CSV file from which the line was made. */
  source?: Buffer;
  /** The header of the CSV file. */
  header?: Buffer;
};

/**
 * Splits a stream into lines without their newlines, and holds one line at a time. In place of a line longer than
 * `MAX_LINE_BYTES`, yields the reason to refuse it. A carriage return at the end of a line stays, because it is white
 * space in JSON.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length > MAX_LINE_BYTES) pieces = [];
    else pieces.push(piece);
  };
  const end = () => {
    const line = length > MAX_LINE_BYTES ? TOO_LONG : { bytes: Buffer.concat(pieces) };
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at));
      yield end();
      start = at + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield end();
}
