import type { IncomingMessage } from 'node:http';

/**
 * Reads the whole body of a response.
 * @param limit in bytes.
 * @throws Error if the body is longer, or the connection breaks before its end.
 */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > limit) throw new Error(`The body has more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
