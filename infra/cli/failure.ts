/** An error whose message an operator may see: it says what to do, and quotes no record. */
export class ReportableError extends Error {
  override readonly name: string = 'ReportableError';
}

/** Errors of AWS whose messages tell the operator what to do and cannot quote a record. */
const REPORTABLE = [
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'TokenProviderError',
  'UnrecognizedClientException',
];

/**
 * Says why a command on the table stopped. Of an error that is not known to be harmless, only the name
 * is shown: DynamoDB's answer may quote personal data if it is garbled or refuses a value.
 */
export function explainFailure(error: unknown, tableName: string): string {
  if (!(error instanceof Error)) return 'The cause is unknown.';
  if (error instanceof ReportableError) return error.message;
  // A request or a stream that a signal aborted.
  if (error.name === 'AbortError') return explainFailure(error.cause, tableName);
  if (error.name === 'ResourceNotFoundException') {
    return (
      `There is no table ${tableName} in this account and region. DynamoDB Local has tables of its ` +
      'own for each access key and region: use those of npm start.'
    );
  }
  if (error.message === 'Region is missing') {
    return 'No AWS region is set: use --region, or set AWS_REGION.';
  }
  if (/^Could not load credentials from any/.test(error.message)) {
    return 'There are no AWS credentials: log in, or set AWS_PROFILE to the name of a profile.';
  }
  if (/^Z_/.test(nameOf(error))) return 'The compressed file is damaged, or ends too early.';
  if (REPORTABLE.includes(error.name)) return `${error.name}: ${error.message}`;
  return `It failed with ${nameOf(error)}.`;
}

/** What an error is called: the system's code, such as ECONNREFUSED, or its name. */
export function nameOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
