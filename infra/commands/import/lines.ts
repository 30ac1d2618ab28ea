const NEWLINE = 0x0a;

/**
 * The longest line that is read. The longest record that fits an item of 400 KB takes six bytes of
 * JSON for each of its own (`\u0001`), which is less.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const TOO_LONG = { reason: `the line is longer than ${MAX_LINE_BYTES} bytes` };

/** A line to import: a record in JSON, or the reason why there is none. */
export type Line = ({ bytes: Buffer; reason?: never } | { bytes?: never; reason: string }) & {
  /** The line as it was written, if it was not JSON, and the header that it needs. */
  source?: Buffer;
  header?: Buffer;
};

/**
 * Splits a stream into its lines, without their newlines, and holds one of them at a time. A carriage return
 * at the end of a line stays, because it is white space in JSON. A line longer than `MAX_LINE_BYTES` is
 * dropped as it is read.
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
