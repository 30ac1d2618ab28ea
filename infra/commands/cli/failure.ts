import { getSystemErrorMessage } from 'node:util';

/** Errors of AWS and its SDK whose messages tell the operator what to do and cannot quote a record. */
const REPORTABLE =
  /AccessDenied|Credentials|ResourceNotFound|Signature|Throttl|Throughput|Token|UnrecognizedClient/;
/** What DynamoDB says if a table has no index, or is still building it: a ValidationException like others. */
const OF_INDEX = /^(The table does not have the specified index|Cannot read from backfilling)/;

/**
 * Says why a command failed. DynamoDB's response may quote personal data, if it is garbled or refuses a
 * value: of an error of the SDK that is not known to be harmless, only the name is shown.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (nameOf(error).startsWith('Z_')) return 'The compressed file is damaged or truncated.';
  // `rmSync` and `cpSync` give positive numbers.
  if ('path' in error && 'errno' in error && typeof error.errno === 'number') {
    return `${error.path} cannot be used: ${getSystemErrorMessage(-Math.abs(error.errno))} (${nameOf(error)}).`;
  }
  // The SDK adds the metadata of a request to whatever made it fail.
  if (!('$metadata' in error) || REPORTABLE.test(error.name)) return error.message;
  if (OF_INDEX.test(error.message)) return `${error.message} Search the whole table with --scan.`;
  return `DynamoDB did not carry out a request (${nameOf(error)}).`;
}

/** What an error is called: the system's code, such as ECONNREFUSED, or its name. */
export function nameOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
