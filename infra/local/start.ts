// `npm start`: runs the service on this machine until Ctrl-C.
import { execFileSync } from 'node:child_process';
import { watch } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from '../bundle/files.ts';
import { runCommand, WrongUsage } from '../cli/command.ts';
import { findState, isAlive, type State } from '../cli/state.ts';
import { type LocalService, startService } from './service.ts';

const USAGE = `Usage: npm start -- [--reset] [--watch] [--data DIR]

  --reset     begin anew with the sample data
  --watch     build and serve the code again when it changes
  --data DIR  keep the data in DIR instead of .local

PORT is the port to listen on; 3000 where it is not set.
`;

const write = (text: string) => process.stdout.write(`${text}\n`);

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const { help, reset, watch: watched, data } = readArguments();
  if (help) {
    write(USAGE);
    return;
  }
  const directory = resolve(fileURLToPath(root), data);
  const running = findState(directory);
  if (running !== undefined) {
    throw new Error(
      `The service already runs on this data, at ${running.baseUrl} (process ${running.pid}): ` +
        'stop it first, or choose other data with --data DIR. If it does not run, remove ' +
        `${directory}/service.json.`,
    );
  }
  const service = await startService({ directory, port: readPort(), reset, report: write });
  stopWhenAsked(service);
  welcome(service.state, data);
  if (watched) rebuildOnChange(service);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      reset: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      data: { type: 'string', default: '.local' },
    },
  });
  if (values.data === '') throw new WrongUsage('--data needs the name of a folder.');
  // npm takes flags that stand before `--` for its own.
  for (const flag of ['reset', 'watch', 'data']) {
    if (process.env[`npm_config_${flag}`]) {
      throw new WrongUsage(`Write npm start -- --${flag}, with -- in between.`);
    }
  }
  return values;
}

function readPort(): number {
  const text = process.env.PORT || '3000';
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Error('PORT must be a number from 0 to 65535 (0 for any free port).');
  }
  return port;
}

function stopWhenAsked(service: LocalService): void {
  let isStopping = false;
  const stop = async (code = 0) => {
    // Whoever asks twice does not want to wait.
    if (isStopping) process.exit(1);
    isStopping = true;
    await service.stop();
    process.exit(code);
  };
  void service.databaseEnded.then(() => {
    if (isStopping) return;
    write('The embedded DynamoDB has ended, and so does the service.');
    void stop(1);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop());
  whenOrphaned(() => void stop());
}

/** npm passes signals on, but not the one that kills it; nor does the shell that it starts. */
function whenOrphaned(stop: () => void): void {
  const parent = process.ppid;
  const npm = process.env.npm_lifecycle_event === undefined ? undefined : parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    stop();
  }, 500).unref();
}

/** The parent of a process; undefined where the system has no `ps` to tell it, as Windows has not. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]));
  } catch {
    return undefined;
  }
}

function welcome({ baseUrl, issuer }: State, data: string): void {
  const other = data === '.local' ? '' : ` -- --data ${quoted(data)}`;
  const here = quoted(fileURLToPath(root).replace(/\/$/, ''));
  const token = `$(npm run -s --prefix ${here} token${other})`;
  write(`
The recruitment service listens on ${baseUrl}
Its tokens come from ${issuer} (npm run token${other})

In another terminal, read an application:

  curl -i "${baseUrl}/v1/jobs/4007/applications/c-1001" \\
    -H "Authorization: Bearer ${token}"

Close a job:

  curl -i -X PATCH "${baseUrl}/v1/jobs/4007/status" \\
    -H "Authorization: Bearer ${token}" \\
    -H "Content-Type: application/json" -d '{"status": "closed"}'

Each request logs one line. Ctrl-C stops.
`);
}

/** A word for a shell, between single quotes where it needs them. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function rebuildOnChange(service: LocalService): void {
  let timer: NodeJS.Timeout | undefined;
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(async () => {
      try {
        await service.rebuild();
        write('Built and served again.');
      } catch (error) {
        write(error instanceof Error ? error.message : String(error));
      }
    });
  };
  for (const folder of ['functions', 'infra']) {
    watch(new URL(folder, root), { recursive: true }, () => {
      // Editors write a file several times.
      clearTimeout(timer);
      timer = setTimeout(rebuild, 200);
    });
  }
}
