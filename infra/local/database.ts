import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../cli/state.ts';

const READY_WITHIN_MS = 5000;
const ATTEMPTS = 3;

/** A DynamoDB that listens on this machine. */
export interface Database {
  endpoint: string;
  /** Settles when it has ended, asked or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB on a free port of 127.0.0.1.
 * @param file where the data is kept; undefined: in memory.
 * @throws Error that says what to do where no binary is offered for this system.
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
      throw new Error(`The embedded DynamoDB does not start: ${database.output()}`);
  }
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch (cause) {
    throw new Error(
      `No embedded DynamoDB is offered for ${process.platform} on ${process.arch}. Run DynamoDB ` +
        'Local (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.html) ' +
        'and point AWS_ENDPOINT_URL_DYNAMODB at it, for example ' +
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
    // Where the supervisor itself was killed, the database still runs.
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
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!hasEnded && Date.now() < deadline) {
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No free port was given.');
  return address.port;
}
