// `npm start`: runs the service on this machine until Ctrl-C.
import { once } from 'node:events';
import inspector from 'node:inspector';
import { type CommandIo, readOptions, runMain, WrongUsage } from '../commands/cli/run-command.ts';
import { dataFolder, type State } from '../commands/cli/service-state.ts';
import { readableLine } from './log-line.ts';
import { OWN_CONTEXT, startService } from './service.ts';
import { inSources } from './stack-trace.ts';
import { rebuildOnChange } from './watch.ts';

const usage = `Usage: npm start -- [--reset] [--watch] [--inspect[=PORT]] [--json] [--data DIR] [-c KEY=VALUE …]

  --reset           delete the data and load the sample data again
  --watch           rebuild and serve the code when it changes
  --inspect[=PORT]  let a debugger connect, by default on port 9229 (docs/local.md)
  --json            print log lines as the deployed functions write them
  --data DIR        keep the data in DIR instead of .local
  -c KEY=VALUE      set a context key, as for cdk deploy (docs/deployment.md)

The gateway listens on the port in the variable PORT, by default 3000. The token issuer listens on the next port.
`;

/** Node.js's default port for debuggers. */
const INSPECTOR_PORT = '9229';

export const command = { usage, run };

async function run(io: CommandIo): Promise<undefined> {
  const { reset, watch: isWatching, inspect, json, data, context } = readArguments(io);
  if (inspect !== undefined) openInspector(inspect);
  const print = (line: string) => io.stdout.write(`${line}\n`);
  const report = (line: string) => print(inSources(line));
  const service = await startService({
    directory: dataFolder(data),
    port: toPort(io.env.PORT || '3000', 'PORT'),
    reset,
    context,
    isDebugged: inspect !== undefined,
    env: io.env,
    report,
    log: json ? print : (line) => print(readableLine(line)),
  });
  await using parts = new AsyncDisposableStack();
  parts.defer(service.stop);
  const interrupted = once(io.interruption(), 'abort');
  report(welcome(service.state, data));
  if (isWatching) parts.use(await rebuildOnChange(service.rebuild, report));
  await interrupted;
}

/**
 * Lets debuggers connect to this process and to the functions' threads.
 * @throws Error if the port is in use.
 */
function openInspector(port: number): void {
  // An editor may have started this process with its own debugger.
  if (inspector.url() !== undefined) return;
  inspector.open(port, '127.0.0.1');
  if (inspector.url() !== undefined) return;
  throw new Error(`Port ${port} is in use. Choose another port, as in --inspect=9230.`);
}

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    // `parseArgs` does not support an option with an optional value.
    args: args.map((arg) => (arg === '--inspect' ? `--inspect=${INSPECTOR_PORT}` : arg)),
    options: {
      reset: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      inspect: { type: 'string' },
      json: { type: 'boolean', default: false },
      data: { type: 'string', default: '.local' },
      context: { type: 'string', short: 'c', multiple: true, default: [] },
    },
  });
  return {
    ...values,
    inspect: values.inspect === undefined ? undefined : toPort(values.inspect, '--inspect'),
    context: Object.fromEntries(values.context.map(readContext)),
  };
}

function readContext(text: string): [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new WrongUsage('Write -c KEY=VALUE, as in -c corsOrigins=http://localhost:5173.');
  }
  if (OWN_CONTEXT.includes(key))
    throw new WrongUsage(`npm start sets the context key ${key} itself.`);
  return [key, value];
}

function toPort(text: string, name: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Error(`${name} must be a number from 0 to 65535 (0 picks a free port).`);
  }
  return port;
}

function welcome({ baseUrl, issuer }: State, data: string): string {
  const token = `npm run -s token${data === '.local' ? '' : ` -- --data "${data}"`}`;
  return `
The recruitment service listens on ${baseUrl}
Its tokens come from ${issuer} (${token})
Open ${baseUrl}/docs in a browser to read the API reference and send requests.

To read an application, run this in another terminal${process.platform === 'win32' ? ' (Git Bash)' : ''} in this folder:

  curl -i "${baseUrl}/v1/jobs/4007/applications/c-1001" \\
    -H "Authorization: Bearer $(${token})"

To close a job:

  curl -i -X PATCH "${baseUrl}/v1/jobs/4007/status" \\
    -H "Authorization: Bearer $(${token})" \\
    -H "Content-Type: application/json" -d '{"status": "closed"}'

Each request prints a log line. Each status change also prints its event. Press Ctrl-C to stop.
`;
}

await runMain(import.meta, command);
