/** The errors of DynamoDB's operations, as the SDK has them. */
const NAMES = [
  'BackupInUseException',
  'BackupNotFoundException',
  'InternalServerError',
  'RequestLimitExceeded',
  'ThrottlingException',
  'InvalidEndpointException',
  'ProvisionedThroughputExceededException',
  'ResourceNotFoundException',
  'ItemCollectionSizeLimitExceededException',
  'ReplicatedWriteConflictException',
  'ContinuousBackupsUnavailableException',
  'LimitExceededException',
  'TableInUseException',
  'TableNotFoundException',
  'GlobalTableAlreadyExistsException',
  'ResourceInUseException',
  'TransactionConflictException',
  'PolicyNotFoundException',
  'ExportNotFoundException',
  'GlobalTableNotFoundException',
  'ImportNotFoundException',
  'DuplicateItemException',
  'IdempotentParameterMismatchException',
  'TransactionInProgressException',
  'ExportConflictException',
  'InvalidExportTimeException',
  'PointInTimeRecoveryUnavailableException',
  'ImportConflictException',
  'TableAlreadyExistsException',
  'InvalidRestoreTimeException',
  'ReplicaAlreadyExistsException',
  'ReplicaNotFoundException',
  'IndexNotFoundException',
  'ConditionalCheckFailedException',
  'TransactionCanceledException',
];

/** What some of them have of their own: whose fault they are, that the SDK is to try again. */
const MORE: Readonly<Record<string, string>> = {
  InternalServerError: `{ $fault: 'server' }`,
  ReplicatedWriteConflictException: '{ $retryable: {} }',
};

/**
 * A module of the classes of errors, which but for two differ in their names alone. What else an error
 * has, such as the item of a condition that was not met, the SDK puts on it when it reads the answer.
 */
export const errorClasses = `
  import { DynamoDBServiceException } from './DynamoDBServiceException';
  const named = (name, more) =>
    class extends DynamoDBServiceException {
      constructor(options) {
        super({ name, $fault: 'client', ...options });
        Object.setPrototypeOf(this, new.target.prototype);
        Object.assign(this, more);
      }
    };
  ${NAMES.map((name) => `export const ${name} = named('${name}', ${MORE[name]});`).join('\n')}`;
