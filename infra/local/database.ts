import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../cli/state.ts';

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
 * Starts the embedded DynamoDB on a free port of 127.0.0.1.
 * @param file where to keep the data; by default in memory
 * @throws Error that says what to do if there is no binary for this system.
 */
export async function startDatabase(file?: string): Promise<Database> {
  const binary = findBinary();
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const args = [
      'serve',
      '--port',
      String(port),
      ...(file === undefined ? [] : ['--db-path', file]),
    ];
    const database = supervised(binary, args, `http://127.0.0.1:${port}`);
    if (await isReady(database)) return database;
    await database.stop();
    // Another process may have taken the port in between.
    if (attempt === ATTEMPTS)
      throw new Error(`The embedded DynamoDB did not start: ${database.output()}`);
  }
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch (cause) {
    throw new Error(
      `There is no embedded DynamoDB for ${process.platform} on ${process.arch}. Run DynamoDB ` +
        'Local (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html) ' +
        'and set AWS_ENDPOINT_URL_DYNAMODB to its address, for example ' +
        'AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 npm start',
      { cause },
    );
  }
}

interface Supervised extends Database {
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
  const ended = once(child, 'exit').then(() => {
    // If the supervisor itself was killed, the database is still running.
    if (pid > 0 && isAlive(pid)) process.kill(pid);
  });
  return {
    endpoint,
    ended,
    output: () => output.trim(),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

async function isReady({ endpoint, ended }: Supervised): Promise<boolean> {
  const controller = new AbortController();
  void ended.then(() => controller.abort());
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(READY_WITHIN_MS)]);
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
