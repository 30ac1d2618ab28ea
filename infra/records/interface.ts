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

/** A `DynamoDBClient` or a `DynamoDBDocumentClient`. */
export interface Client {
  send(command: GetItemCommand, options?: SendOptions): Promise<GetItemCommandOutput>;
  send(command: PutItemCommand, options?: SendOptions): Promise<PutItemCommandOutput>;
  send(command: UpdateItemCommand, options?: SendOptions): Promise<UpdateItemCommandOutput>;
}

/** Without the value of the member, which may be personal data. */
export interface Fault {
  /**
   * JSON Pointer (RFC 6901), empty for the whole record. Long names are cut, and unprintable characters are
   * percent-encoded.
   */
  readonly member: string;
  /** Such as `must be a string`. */
  readonly rule: string;
}
