// The writer's package also publishes these types (writer/declarations.ts).
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

/** Names a member and the rule that it breaks, but no value, because values may be personal data. */
export interface Fault {
  /**
   * JSON Pointer (RFC 6901), empty for the whole record. Long names are cut, and unprintable characters are
   * percent-encoded.
   */
  readonly member: string;
  /** To be read after the pointer, such as `must be a string`. */
  readonly rule: string;
}
