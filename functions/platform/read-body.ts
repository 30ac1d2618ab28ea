import type { IncomingMessage } from 'node:http';

/**
 * @param limit in bytes.
 * @throws RangeError if the body is larger; a network error if the connection breaks before its end.
 */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > limit) throw new RangeError(`The body has more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
