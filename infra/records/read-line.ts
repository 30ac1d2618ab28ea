import { isObject } from '../../functions/domain/own-value.ts';
import { reasonOf } from './faults.ts';
import { parseExactly } from './parse-exactly.ts';
import { type ReadOptions, readRecord, type StoredRecord } from './records.ts';

/** The reason for refusing a line that is not a JSON object. */
export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';

// The decoder also removes a byte order mark. If files were concatenated, any line may begin with this mark.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line as a record. If two members have the same name, the last member counts.
 * @returns the item to store, or undefined for a blank line. If the line is refused, the result is the reason, which
 *   never shows a value of the line.
 */
export function readLine(
  line: Uint8Array,
  options: ReadOptions = {},
): StoredRecord | { reason: string } | undefined {
  const value = parse(line);
  if (value === undefined) return undefined;
  if (!isObject(value)) return { reason: NOT_JSON };
  const read = readRecord(value, options);
  return 'faults' in read ? { reason: reasonOf(read) } : read;
}

/** Returns the value of a line: undefined if the line is blank, null if the line is not JSON in UTF-8. */
function parse(line: Uint8Array): unknown {
  try {
    const text = utf8.decode(line);
    return text.trim() === '' ? undefined : parseExactly(text);
  } catch {
    // The parser's error is dropped because it quotes the text.
    return null;
  }
}
