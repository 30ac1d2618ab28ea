import { isRecord } from '../../../functions/domain/record.ts';
import {
  type ReadOptions,
  type Refusal,
  readRecord,
  type StoredRecord,
} from '../../writer/records.ts';
import { fileCheck } from '../cli/files-bucket.ts';

/** The reason for a line that is not a JSON object. */
export const NOT_JSON = 'the line is not JSON: each line must be one JSON object, in UTF-8';
/** What programs write for bytes that they cannot decode, as it is or escaped. */
const UNDECODED = /\ufffd|(?<!\\)(?:\\\\)*\\ufffd/i;
const ANOTHER_ENCODING = 'the line contains U+FFFD: the file was read in another encoding';
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const checkLocalFile = fileCheck({});

// It also removes a byte order mark at the start of a line: concatenated files have one on any line.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line: a JSON object that is a record. If two members have the same name, the last one counts.
 * @param options `checkFile` is by default that of the local service.
 * @returns the item to store, the reason why there is none, or undefined for a blank line.
 */
export function readLine(
  line: Uint8Array,
  options: ReadOptions = {},
): StoredRecord | Refusal | undefined {
  const { text, value } = parse(line);
  if (value === undefined) return undefined;
  if (!isRecord(value)) return { reason: NOT_JSON };
  const read = readRecord(value, { checkFile: checkLocalFile, ...options });
  if ('reason' in read) return read;
  if (UNDECODED.test(text)) return { reason: ANOTHER_ENCODING };
  return NUL.test(text) ? { reason: 'the line contains the character NUL' } : read;
}

/** Returns the text and the value of a line: undefined if it is blank, null if it is not JSON in UTF-8. */
function parse(line: Uint8Array): { text: string; value: unknown } {
  let text = '';
  try {
    text = utf8.decode(line);
    return { text, value: text.trim() === '' ? undefined : JSON.parse(text) };
  } catch {
    // The parser's error quotes the text.
    return { text, value: null };
  }
}
