import { getSystemErrorMessage } from 'node:util';

/** The names of AWS and SDK errors whose messages tell the operator what to do, and never quote a record. */
const REPORTABLE =
  /AccessDenied|Credentials|ResourceNotFound|Signature|Throttl|Throughput|Token|UnrecognizedClient/;
/**
 * DynamoDB's messages about an index that is missing or not built yet. The error's name does not identify these
 * messages, because many other errors are ValidationExceptions too.
 */
const OF_INDEX = /^(The table does not have the specified index|Cannot read from backfilling)/;

/**
 * Returns the reason for a command's failure, without personal data. DynamoDB's error messages may quote a stored
 * value. The reason therefore has only the name of an SDK error, unless the message is known to be harmless.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (nameOf(error).startsWith('Z_')) return 'The compressed file is damaged or truncated.';
  // `getSystemErrorMessage` needs a negative number, but errors of `rmSync` and `cpSync` have a positive `errno`.
  if ('path' in error && 'errno' in error && typeof error.errno === 'number') {
    return `${error.path} cannot be used: ${getSystemErrorMessage(-Math.abs(error.errno))} (${nameOf(error)}).`;
  }
  // The SDK adds `$metadata` to every error of a request.
  if (!('$metadata' in error) || REPORTABLE.test(error.name)) return error.message;
  if (OF_INDEX.test(error.message)) return `${error.message} Search the whole table with --scan.`;
  return `DynamoDB did not carry out a request (${nameOf(error)}).`;
}

/** Returns the error's system code, such as ECONNREFUSED, or else its name. */
export function nameOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
