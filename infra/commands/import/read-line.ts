import { isRecord } from '../../../functions/domain/record.ts';
import { reasonOf } from '../../writer/faults.ts';
import { type ReadOptions, readRecord, type StoredRecord } from '../../writer/records.ts';
import { fileCheck } from '../cli/files-bucket.ts';

/** The reason for a line that is not a JSON object. */
export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';
const checkLocalFile = fileCheck({});

// It also removes a byte order mark at the start of a line: concatenated files have one on any line.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line: a JSON object that is a record. If two members have the same name, the last one counts.
 * @param options `checkFile` is by default that of the local service.
 * @returns the item to store, the reason why there is none, which never shows a value, or undefined for a blank line.
 */
export function readLine(
  line: Uint8Array,
  options: ReadOptions = {},
): StoredRecord | { reason: string } | undefined {
  const value = parse(line);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { reason: NOT_JSON };
  const read = readRecord(value, { checkFile: checkLocalFile, ...options });
  return 'faults' in read ? { reason: reasonOf(read) } : read;
}

/** Returns the value of a line: undefined if it is blank, null if it is not JSON in UTF-8. */
function parse(line: Uint8Array): unknown {
  try {
    const text = utf8.decode(line);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    // The parser's error quotes the text.
    return null;
  }
}
