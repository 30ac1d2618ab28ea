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
}

/**
 * Splits a stream into its lines and holds one of them at a time; of a line that is too long, nothing. A
 * carriage return at the end of a line stays, because it is white space in JSON.
 */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Buffer) => {
    length += part.length;
    parts = length > MAX_LINE_BYTES ? [] : [...parts, part];
  };
  const taken = (): Line => {
    const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const bytes = length > MAX_LINE_BYTES ? undefined : whole;
    parts = [];
    length = 0;
    return { number: number++, bytes };
  };
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
      add(bytes.subarray(start, at));
      start = at + 1;
      yield taken();
    }
    add(bytes.subarray(start));
  }
  if (length > 0) yield taken();
}
