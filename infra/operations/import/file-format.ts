const EXPECTED = 'The file must have one JSON object on each line, in UTF-8.';

/** What the first line of a file in another format looks like, and how to convert the file. */
const FORMATS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /^\s*\[/,
    "this looks like a JSON array: write one object on each line, for example with jq -c '.[]' FILE.",
  ],
  [
    /^\s*\{\s*$/,
    'this looks like JSON objects that span several lines: write each on one line, for example with jq -c . FILE.',
  ],
  [/^[^{]*[,;\t]/, 'this looks like CSV: convert each row to a JSON object.'],
];

/**
 * Says which other format the first line of a file looks like, so that the operator is not told an error
 * for each of its lines.
 * @returns undefined if it looks like none of those that are known.
 */
export function hintOf(line: Uint8Array): string | undefined {
  const hint = isUtf16(line)
    ? 'this looks like UTF-16: convert the file, for example with iconv -f UTF-16 -t UTF-8 FILE.'
    : FORMATS.find(([pattern]) => pattern.test(new TextDecoder().decode(line)))?.[1];
  return hint && `${hint} ${EXPECTED}`;
}

/** Whether a line begins with the byte order mark of UTF-16, or with an ASCII character in UTF-16. */
function isUtf16([first, second]: Uint8Array): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || first === 0 || second === 0;
}
