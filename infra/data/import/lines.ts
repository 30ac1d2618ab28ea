const NEWLINE = 0x0a;

/** No record needs more: an item has at most 400 KB, and JSON needs at most six bytes (`\u0001`) for each byte. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const TOO_LONG = `the line is longer than ${MAX_LINE_BYTES} bytes`;

/** Without the newline. `start` is all that is kept of a line that is too long. */
export type Line =
  | { bytes: Buffer; start?: never; reason?: never }
  | { bytes?: never; start: Buffer; reason: string };

/**
 * Yields the lines that each chunk completes. Node's readline would also break lines at U+2028, which JSON may contain.
 * A carriage return at the end stays: it is white space in JSON.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= MAX_LINE_BYTES || pieces.length === 0) pieces.push(piece);
    else pieces = pieces.slice(0, 1);
  };
  const end = () => {
    const [start = Buffer.of()] = pieces;
    const line =
      length > MAX_LINE_BYTES ? { start, reason: TOO_LONG } : { bytes: Buffer.concat(pieces) };
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    const lines: Line[] = [];
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at));
      lines.push(end());
      start = at + 1;
    }
    add(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [end()];
}
