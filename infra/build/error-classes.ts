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

/**
 * A module of the classes of errors. What else an error has, such as the item of a condition that was
 * not met, the SDK puts on it when it reads the answer, and whose fault it is too.
 */
export const errorClasses = `
  import { DynamoDBServiceException } from './DynamoDBServiceException';
  const named = (name) =>
    class extends DynamoDBServiceException {
      constructor(options) {
        super({ name, ...options });
        Object.setPrototypeOf(this, new.target.prototype);
      }
    };
  ${NAMES.map((name) => `export const ${name} = named('${name}');`).join('\n')}`;
