import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { databaseBinary } from './database-binary.ts';

/** How long it may take to respond, on a busy machine. */
const READY_WITHIN_MS = 30_000;

/** A DynamoDB that listens on this machine. */
export interface Database {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB on a free port of 127.0.0.1, and installs it before if it is missing.
 * @param report gets what is said about the installation
 * @param file where to keep the data; by default in memory
 * @throws Error that says what to do if it cannot be installed.
 */
export async function startDatabase(
  report: (text: string) => void,
  file?: string,
): Promise<Database> {
  const binary = await databaseBinary(report);
  const unused = createServer();
  const port = await listenOn(unused, 0);
  unused.close();
  const supervisor = fileURLToPath(new URL('supervise.ts', import.meta.url));
  const args = ['serve', '--port', `${port}`, ...(file ? ['--db-path', file] : [])];
  const child = spawn(process.execPath, [supervisor, binary, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-2000);
  });
  const failed = new AbortController();
  const ended = once(child, 'exit').then(() => failed.abort());
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(READY_WITHIN_MS)]);
  if (await isReady(endpoint, signal)) return { endpoint, stop };
  await stop();
  throw new Error(`The embedded DynamoDB did not start: ${output}`);
}

/** Waits until a database responds; false if the signal is aborted before. */
export async function isReady(endpoint: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const response = await fetch(endpoint, { signal }).catch(() => undefined);
    if (response !== undefined) return true;
    await sleep(20);
  }
  return false;
}

/**
 * Listens on a port of 127.0.0.1, 0 for a free one, and gives the port.
 * @throws Error if the port is in use.
 */
export async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is in use: choose another one, as in PORT=3010 npm start.`);
  });
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}
