const NEWLINE = 0x0a;

/**
 * The longest line that is read. The longest record that fits an item of 400 KB takes six bytes of
 * JSON for each of its own (`\u0001`), which is less.
 */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A line of a file. */
export interface Line {
  /** The first line is 1. */
  number: number;
  /** The line without its newline; undefined if it is longer than `MAX_LINE_BYTES`. */
  bytes: Buffer | undefined;
  /** The offset of the next line, in bytes from the start of the file. */
  end: number;
}

/** Collects a line's bytes as they arrive, and drops them if the line is too long. */
class Collected {
  #parts: Buffer[] = [];
  length = 0;

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > MAX_LINE_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  take(): Buffer | undefined {
    const bytes = this.length > MAX_LINE_BYTES ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    return bytes;
  }
}

/**
 * Splits a stream into its lines and holds one of them at a time. A carriage return at the end of a
 * line stays, because it is white space in JSON.
 */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<Line> {
  const line = new Collected();
  let number = 1;
  let end = 0;
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
      line.add(bytes.subarray(start, at));
      start = at + 1;
      yield { number, bytes: line.take(), end: end + start };
      number += 1;
    }
    line.add(bytes.subarray(start));
    end += bytes.length;
  }
  if (line.length > 0) yield { number, bytes: line.take(), end };
}
