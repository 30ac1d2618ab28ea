import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type CommandIo, readOptions, runMain, UsageError } from '../command/run-command.ts';
import { dataFolder, type ServiceState } from '../command/service-state.ts';
import { checkLocalSettings } from './local-settings.ts';
import { readableLine } from './log-line.ts';
import { startService } from './service.ts';
import { mapToSources } from './stack-trace.ts';

const usage = `Usage: npm start -- [--reset] [--json] [--data DIR] [-c KEY=VALUE …]

Runs the service on this machine until Ctrl-C.

  --reset       delete the data and load the sample data again
  --json        print log lines as the deployed functions write them
  --data DIR    keep the data in DIR instead of .local
  -c KEY=VALUE  change a setting, such as transitionPolicy=lifecycle (docs/local.md)

The gateway listens on the port in the variable PORT, by default 3000, and the token issuer on the next one.
`;

const PARENT_CHECK_MS = 500;

export const command = { usage, run };

async function run(io: CommandIo): Promise<undefined> {
  const { reset, json, data, context } = readArguments(io);
  const port = toPort(io.env.PORT || '3000');
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const report = (line: string) => print(mapToSources(line));
  const service = await startService({
    directory: dataFolder(data),
    port,
    reset,
    settings: checkLocalSettings(context),
    env: io.env,
    report,
    log: json ? print : (line) => print(readableLine(line)),
  });
  await using parts = new AsyncDisposableStack();
  parts.defer(service.stop);
  const ended = once(endOf(io), 'abort');
  report(welcome(service.state, data));
  await ended;
  return undefined;
}

/** Aborts on a signal, or once npm has ended: npm signals only its shell, which does not pass the signal on. */
function endOf({ env, abortOnSignal }: CommandIo): AbortSignal {
  const orphaned = new AbortController();
  const parents = parentsOfThis();
  if (env.npm_lifecycle_event !== undefined) {
    setInterval(() => parentsOfThis() !== parents && orphaned.abort(), PARENT_CHECK_MS).unref();
  }
  return AbortSignal.any([abortOnSignal(), orphaned.signal]);
}

/** Process ids of npm's shell and, on Linux, of the shell's parent. */
function parentsOfThis(): string {
  const { ppid } = process;
  return `${ppid} ${/^PPid:\s*(\d+)/m.exec(statusOf(ppid))?.[1]}`;
}

/** Empty once the process has ended, and on systems without `/proc`. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      reset: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      data: { type: 'string', default: '.local' },
      context: { type: 'string', short: 'c', multiple: true, default: [] },
    },
  });
  return { ...values, context: Object.fromEntries(values.context.map(readContext)) };
}

function readContext(text: string): [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new UsageError('Write -c KEY=VALUE, as in -c corsOrigins=http://localhost:5173.');
  }
  return [key, value];
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Error(`PORT must be a number from 0 to 65535 (0 picks a free port).`);
  }
  return port;
}

function welcome({ baseUrl, issuer, tokenEndpoint }: ServiceState, data: string): string {
  const command = `npm run -s token${data === '.local' ? '' : ` -- --data "${data}"`}`;
  const isLocal = tokenEndpoint !== undefined;
  const token = isLocal ? `$(${command})` : '$TOKEN';
  return `
The recruitment service listens on ${baseUrl}
Its tokens come from ${issuer}${isLocal ? ` (${command})` : ', so set TOKEN to one of them'}
Open ${baseUrl}/docs in a browser to read the API reference and send requests.

To read an application, run this in another terminal${process.platform === 'win32' ? ' (Git Bash)' : ''} in this folder:

  curl -i "${baseUrl}/v1/jobs/4007/applications/c-1001" \\
    -H "Authorization: Bearer ${token}"

To publish a job:

  curl -i -X PATCH "${baseUrl}/v1/jobs/4007/status" \\
    -H "Authorization: Bearer ${token}" \\
    -H "Content-Type: application/json" -d '{"status": "published"}'

Requests print a log line, and status changes their event; if another change follows at once, an event may be missing.
Press Ctrl-C to stop.
`;
}

await runMain(import.meta, command);
