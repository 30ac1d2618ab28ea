import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command as tokenCommand } from '../../infra/local/token.ts';
import { test } from './fixtures.ts';
import { runCommand } from './operator-command.ts';

export const root = join(import.meta.dirname, '../..');

/** How long to wait for output, even on a busy machine. */
const OUTPUT_WITHIN_MS = 600_000;
const POLL_MS = 50;

export class Service {
  readonly process: ChildProcess;
  readonly #data: string;
  readonly #closed: Promise<unknown>;
  output = '';

  constructor(data: string, args: string[] = [], { folder = root, env = {} } = {}) {
    this.#data = data;
    this.process = spawn('npm', ['start', '--', '--data', data, ...args], {
      cwd: folder,
      env: {
        ...process.env,
        PORT: '0',
        RECRUITMENT_TEST_DATABASE_PORT: '0',
        AWS_ENDPOINT_URL_DYNAMODB: '',
        // A developer's own credentials, which the service must not use.
        AWS_SESSION_TOKEN: 'own',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#closed = once(this.process, 'close');
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    }
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + OUTPUT_WITHIN_MS;
    let isOver = false;
    while (!isOver) {
      // The last output may arrive after the process has ended.
      if (!this.#runs) await this.#closed;
      isOver = !this.#runs || Date.now() > deadline;
      const found = pattern.exec(this.output);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`It did not print ${pattern}:\n${this.output}`);
  }

  get #runs(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async address(): Promise<string> {
    const [, address = ''] = await this.until(/listens on (http\S+)/);
    return address;
  }

  async token(...args: string[]): Promise<string> {
    const { exitCode, out, err } = await runCommand(tokenCommand, ['--data', this.#data, ...args]);
    if (exitCode !== 0) throw new Error(err);
    return out.trim();
  }

  /** Sends Ctrl-C to the whole process group, as a terminal does, and waits for the end. */
  async interrupt(): Promise<void> {
    // Without a pid, the process has not started, and group 0 would be the tests' own.
    const { pid } = this.process;
    if (this.#runs && pid !== undefined) process.kill(-pid, 'SIGINT');
    await this.#closed;
  }
}

let running: ReturnType<typeof startService> | undefined;

async function startService(onCleanup: (stop: () => Promise<void>) => void) {
  const data = mkdtempSync(join(tmpdir(), 'recruitment service-'));
  const service = new Service(data);
  onCleanup(async () => {
    await service.interrupt();
    rmSync(data, { recursive: true });
  });
  return { service, base: await service.address(), data };
}

export const serviceTest = test.extend('running', { scope: 'worker' }, ({}, { onCleanup }) => {
  // Otherwise Vitest would start a service for each `test` that extends this one.
  running ??= startService(onCleanup);
  return running;
});

export const setStatus = (
  base: string,
  token: string,
  status: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  fetch(`${base}/v1/jobs/4007/status`, {
    method: 'PATCH',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ status }),
  });
