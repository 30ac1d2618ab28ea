// The writer's package also publishes these types (writer/build.ts).
import type {
  TransactWriteItemsCommand,
  TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';

/** A `DynamoDBClient` or a `DynamoDBDocumentClient`. */
export interface Client {
  send(
    command: TransactWriteItemsCommand,
    options?: { abortSignal?: AbortSignal },
  ): Promise<TransactWriteItemsCommandOutput>;
}

/** Never contains the member's value, which may be personal data. */
export interface Fault {
  /**
   * JSON Pointer (RFC 6901), empty for the whole record. Long names are cut, and unprintable characters are
   * percent-encoded. If one of your own names is not a single word, it appears as `*`, because it may be personal data.
   */
  readonly member: string;
  /** Such as `must be a string`. */
  readonly rule: string;
}
