import type { IncomingMessage } from 'node:http';

/**
 * Gives all bytes of an answer.
 * @param limit how many bytes it may have.
 * @throws Error where it has more, or breaks off.
 */
export function readBody(answer: IncomingMessage, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  answer.on('data', (chunk: Uint8Array) => {
    size += chunk.length;
    if (size > limit) answer.destroy(new Error(`The answer has more than ${limit} bytes.`));
    chunks.push(chunk);
  });
  answer.on('end', () => resolve(Buffer.concat(chunks)));
  answer.on('error', reject);
  return promise;
}
