import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { databaseBinary } from './database-binary.ts';
import { freePort } from './local-server.ts';

const READY_WITHIN_MS = 30_000;

/** Ends the database even if the service is killed: one left running would share its file with the next. */
const SUPERVISOR = fileURLToPath(new URL('supervise.ts', import.meta.url));

/**
 * Browsers refuse to send requests to these ports (https://fetch.spec.whatwg.org/#port-blocking). On any other port,
 * the embedded DynamoDB would answer any site's page. Rarely used ports come first.
 */
export const BLOCKED_PORTS = [
  10080, 6566, 4190, 3659, 4045, 1719, 1720, 5061, 5060, 1723, 6679, 6697, 6669, 6668, 6667, 6666,
  6665, 2049, 6000,
];

export interface Database {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * @param ports tried in this order; 0 stands for any.
 * @throws Error if the installation fails, if the database does not start, or if all ports are in use.
 */
export async function startDatabase(
  report: (text: string) => void,
  ports: readonly number[],
  args: readonly string[] = [],
): Promise<Database> {
  const binary = await databaseBinary(report);
  // With `--inspect`, the supervisor would listen for a debugger and print "listening on" too.
  const env = { ...process.env, NODE_OPTIONS: '' };
  for (const wanted of ports) {
    // The database accepts port 0, but does not report the port it got.
    const port = wanted || (await freePort());
    const child = spawn(
      process.execPath,
      [SUPERVISOR, binary, 'serve', '--port', `${port}`, ...args],
      { stdio: ['pipe', 'ignore', 'pipe'], windowsHide: true, env },
    );
    const ended = once(child, 'exit');
    const stop = async () => {
      child.stdin.end();
      await ended;
    };
    const output = await outputUntil(/listening on/, child.stderr);
    if (/listening on/.test(output)) return { endpoint: `http://127.0.0.1:${port}`, stop };
    await stop();
    // Several services may start at once, so only the database itself knows whether the port is free.
    if (!/in use/.test(output)) throw new Error(`The embedded DynamoDB did not start: ${output}`);
  }
  throw new Error(
    `The embedded DynamoDB did not start. All ports are in use: ${ports.join(', ')}.`,
  );
}

async function outputUntil(pattern: RegExp, stream: Readable): Promise<string> {
  let output = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READY_WITHIN_MS);
  stream.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-2000);
    if (pattern.test(output)) resolve();
  });
  stream.once('close', resolve);
  await promise;
  clearTimeout(timer);
  return output;
}

export async function isReady(endpoint: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const response = await fetch(endpoint, { signal }).catch(() => undefined);
    if (response !== undefined) return true;
    await sleep(20);
  }
  return false;
}
