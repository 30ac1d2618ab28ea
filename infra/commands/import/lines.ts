const NEWLINE = 0x0a;

/**
 * The longest line that is read. The longest record that fits an item of 400 KB takes six bytes of
 * JSON for each of its own (`\u0001`), which is less.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Splits a stream into its lines, without their newlines, and holds one of them at a time. A carriage return
 * at the end of a line stays, because it is white space in JSON.
 * @returns undefined for a line longer than `MAX_LINE_BYTES`, which is dropped as it is read.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length > MAX_LINE_BYTES) pieces = [];
    else pieces.push(piece);
  };
  const end = () => {
    const line = length > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces);
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
