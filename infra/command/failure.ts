import { getSystemErrorMessage } from 'node:util';

/** AWS and SDK errors whose messages say what to do and never quote a record. */
const REPORTABLE =
  /AccessDenied|Credentials|ResourceNotFound|Signature|Throttl|Throughput|Token|TransactionCanceled|UnrecognizedClient/;
/** A missing or unfinished index, matched by message because the name is only ValidationException. */
const OF_INDEX = /^(The table does not have the specified index|Cannot read from backfilling)/;

/**
 * Keeps personal data out: DynamoDB may quote stored values, so only messages known to be harmless are shown. For other
 * SDK errors, only the name is shown.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (nameOf(error).startsWith('Z_')) return 'The compressed file is damaged or truncated.';
  // `rmSync` and `cpSync` set a positive `errno`, other functions a negative one.
  if ('path' in error && 'errno' in error && typeof error.errno === 'number') {
    const { path, errno } = error;
    if (nameOf(error) === 'EEXIST')
      return `${path} already exists: choose another name, or delete it.`;
    return `${path} cannot be used: ${getSystemErrorMessage(-Math.abs(errno))} (${nameOf(error)}).`;
  }
  // Only errors of SDK requests have `$metadata`.
  if (!('$metadata' in error) || REPORTABLE.test(error.name)) return error.message;
  if (OF_INDEX.test(error.message)) return `${error.message} Search the whole table with --scan.`;
  return `DynamoDB did not carry out a request (${nameOf(error)}).`;
}

export function nameOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
