import { TableBusy } from './batch-writer.ts';

/** Errors whose messages tell the operator what to do and cannot quote a record. */
const TELLING = [
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'TokenProviderError',
  'UnrecognizedClientException',
];

/**
 * Says why a command on the table has stopped. Of an error that is not known to be harmless only the name is
 * shown: an answer of DynamoDB that is garbled or refuses a value may quote personal data.
 */
export function explainFailure(error: unknown, tableName: string): string {
  if (!(error instanceof Error)) return 'An unknown failure.';
  if (error instanceof TableBusy) {
    return `${error.message} The last answer: ${nameOf(error.cause)}. Try again later.`;
  }
  if (error.name === 'ResourceNotFoundException') {
    return `There is no table ${tableName} in this account and region.`;
  }
  if (error.message === 'Region is missing') {
    return 'No AWS region is set: give one with --region, or set AWS_REGION.';
  }
  if (/^Could not load credentials from any/.test(error.message)) {
    return 'There are no AWS credentials: log in, or name a profile in AWS_PROFILE.';
  }
  if (TELLING.includes(error.name)) return `${error.name}: ${error.message}`;
  return `It failed with ${nameOf(error)}.`;
}

/** What an error is called: the system's code, such as ECONNREFUSED, or its name. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unprocessed items';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
