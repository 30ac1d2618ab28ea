import type { IncomingMessage } from 'node:http';

/**
 * Reads the whole body of a response.
 * @param limit in bytes.
 * @throws RangeError if the body is longer; an error of the network if the connection breaks before its
 *   end.
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
