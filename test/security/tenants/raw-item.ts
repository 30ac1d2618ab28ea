import { inject } from 'vitest';

/** A value as DynamoDB's wire format has it, such as `{ "S": "text" }`. */
export type AttributeValue = Readonly<Record<string, unknown>>;

const CREDENTIAL = 'local/20260101/us-east-1/dynamodb/aws4_request';

/** Makes an object of members, `__proto__` among them, which an assignment would not keep. */
export const members = (entries: Iterable<readonly [string, unknown]>): AttributeValue =>
  Object.fromEntries(entries);

/** A plain value in the wire format. */
export function attributeOf(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (Array.isArray(value)) return { L: value.map(attributeOf) };
  return {
    M: members(Object.entries(Object(value)).map(([name, member]) => [name, attributeOf(member)])),
  };
}

/**
 * Puts an item that is given in the wire format, past the SDK, which loses attributes of names such as
 * `__proto__`.
 */
export async function putRaw(tableName: string, item: AttributeValue): Promise<void> {
  const answer = await fetch(inject('databaseEndpoint'), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.PutItem',
      'x-amz-date': '20260101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${CREDENTIAL}, SignedHeaders=host, Signature=00`,
    },
    body: JSON.stringify({ TableName: tableName, Item: item }),
  });
  if (!answer.ok) throw new Error(`The database answered ${await answer.text()}`);
}
