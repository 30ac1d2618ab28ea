import type { RequestOptions } from 'node:https';
import { https } from './builtins.ts';

const agent = new https.Agent({ keepAlive: true });

export interface Answer {
  status: number | undefined;
  document: unknown;
}

/** Sends a request and reads the JSON of its answer. */
export function send(url: URL, options: RequestOptions, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = https.request(url, { ...options, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          const document: unknown = JSON.parse(Buffer.concat(chunks).toString());
          resolve({ status: response.statusCode, document });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
