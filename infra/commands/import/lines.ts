const NEWLINE = 0x0a;

/**
 * The longest line that is read. The longest record that fits an item of 400 KB takes six bytes of
 * JSON for each of its own (`\u0001`), which is less.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Splits a stream into its lines, without their newlines, and holds one of them at a time; of a line that
 * is too long, one chunk more than `MAX_LINE_BYTES`. A carriage return at the end of a line stays, because it is
 * white space in JSON.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of input) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([rest, chunk.subarray(start, at)]);
      rest = Buffer.alloc(0);
      start = at + 1;
    }
    rest = Buffer.concat([rest.subarray(0, MAX_LINE_BYTES + 1), chunk.subarray(start)]);
  }
  if (rest.length > 0) yield rest;
}
