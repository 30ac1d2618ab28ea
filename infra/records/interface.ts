// Types that the writer's package publishes too (writer/declarations.ts).
import type {
  GetItemCommand,
  GetItemCommandOutput,
  PutItemCommand,
  PutItemCommandOutput,
  UpdateItemCommand,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';

interface SendOptions {
  abortSignal?: AbortSignal;
}

/** A `DynamoDBClient` or `DynamoDBDocumentClient` of the AWS SDK for JavaScript, version 3. */
export interface Client {
  send(command: GetItemCommand, options?: SendOptions): Promise<GetItemCommandOutput>;
  send(command: PutItemCommand, options?: SendOptions): Promise<PutItemCommandOutput>;
  send(command: UpdateItemCommand, options?: SendOptions): Promise<UpdateItemCommandOutput>;
}

/** An invalid member of a record. A fault names members but contains no value, because a value may be personal data. */
export interface Fault {
  /**
   * The JSON Pointer of the member (RFC 6901), or an empty string for the whole record. Long names are cut, and
   * unprintable characters are percent-encoded.
   */
  readonly member: string;
  /** The rule that the member breaks, such as `must be a string`, to be read after the pointer. */
  readonly rule: string;
}
