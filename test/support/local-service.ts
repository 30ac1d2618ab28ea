import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { command as tokenCommand } from '../../infra/local/token.ts';
import { runCommand } from './operator-command.ts';

/** The project's folder. */
export const root = join(import.meta.dirname, '../..');

/** The time limit for output on a busy machine. */
const GUARD_MS = 600_000;

/** Runs `npm start` in `folder`, with its own data and a free port. */
export class Service {
  readonly process: ChildProcess;
  readonly #data: string;
  readonly #closed: Promise<unknown>;
  output = '';

  constructor(data: string, args: string[] = [], { folder = root, env = {} } = {}) {
    this.#data = data;
    this.process = spawn('npm', ['start', '--', '--data', data, ...args], {
      cwd: folder,
      env: { ...process.env, PORT: '0', AWS_ENDPOINT_URL_DYNAMODB: '', ...env },
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
    const deadline = Date.now() + GUARD_MS;
    let isOver = false;
    while (!isOver) {
      // The last output may arrive after the process has ended.
      if (!this.#runs) await this.#closed;
      isOver = !this.#runs || Date.now() > deadline;
      const found = pattern.exec(this.output);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`It did not print ${pattern}:\n${this.output}`);
  }

  get #runs(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Resolves with the address of the service once it listens. */
  async address(): Promise<string> {
    const [, address = ''] = await this.until(/listens on (http\S+)/);
    return address;
  }

  /** Returns the output of `npm run token` with these arguments. */
  async token(...args: string[]): Promise<string> {
    const { exitCode, out, err } = await runCommand(tokenCommand, ['--data', this.#data, ...args]);
    if (exitCode !== 0) throw new Error(err);
    return out.trim();
  }

  /** Sends Ctrl-C, which reaches the whole process group, and waits for the end. */
  async interrupt(): Promise<void> {
    // A process without an id has not started. The group 0 would be the group of the tests.
    const { pid } = this.process;
    if (this.#runs && pid !== undefined) process.kill(-pid, 'SIGINT');
    await this.#closed;
  }
}

/** A running service and its address. */
export interface Running {
  service: Service;
  base: string;
}
