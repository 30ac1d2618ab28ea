import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../cli/state.ts';
import { databaseBinary } from './database-binary.ts';

/** How long it may take to answer, on a busy machine. */
const READY_WITHIN_MS = 30_000;
const ATTEMPTS = 3;

/** A DynamoDB that listens on this machine. */
export interface Database {
  endpoint: string;
  /** Settles when it has ended, by request or not. */
  ended: Promise<void>;
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
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = [
      'serve',
      '--port',
      String(port),
      ...(file === undefined ? [] : ['--db-path', file]),
    ];
    const database = supervised(binary, args, `http://127.0.0.1:${port}`);
    const signal = AbortSignal.any([database.failed, AbortSignal.timeout(READY_WITHIN_MS)]);
    if (await isReady(database.endpoint, signal)) return database;
    await database.stop();
    // Another process may have taken the port in between.
    if (attempt === ATTEMPTS)
      throw new Error(`The embedded DynamoDB did not start: ${database.output()}`);
  }
}

interface Supervised extends Database {
  /** Aborted when it has ended. */
  failed: AbortSignal;
  output(): string;
}

function supervised(binary: string, args: string[], endpoint: string): Supervised {
  const supervisor = fileURLToPath(new URL('supervise.ts', import.meta.url));
  const child = spawn(process.execPath, [supervisor, binary, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let pid = 0;
  let output = '';
  child.stdout.setEncoding('utf8').once('data', (text) => {
    pid = Number(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-2000);
  });
  const controller = new AbortController();
  const ended = once(child, 'exit').then(() => {
    controller.abort();
    // If the supervisor itself was killed, the database is still running.
    if (pid > 0 && isAlive(pid)) process.kill(pid);
  });
  return {
    endpoint,
    ended,
    failed: controller.signal,
    output: () => output.trim(),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Waits until a database answers; false if the signal is aborted before. */
export async function isReady(endpoint: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const answer = await fetch(endpoint, { signal }).catch(() => undefined);
    if (answer) return true;
    await sleep(20);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string')
    throw new Error('The system gave no free port.');
  return address.port;
}
