// `npm start`: runs the service on this machine until Ctrl-C.
import { once } from 'node:events';
import inspector from 'node:inspector';
import { type CommandIo, readOptions, runMain, WrongUsage } from '../commands/cli/run-command.ts';
import { dataFolder, type State } from '../commands/cli/state.ts';
import { readableLine } from './log-line.ts';
import { OWN_CONTEXT, startService } from './service.ts';
import { inSources } from './stack-trace.ts';
import { rebuildOnChange } from './watch.ts';

const usage = `Usage: npm start -- [--reset] [--watch] [--inspect[=PORT]] [--json] [--data DIR] [-c KEY=VALUE …]

  --reset           delete the data, and load the sample data again
  --watch           rebuild and serve the code again when it changes
  --inspect[=PORT]  let a debugger connect, by default on port 9229 (docs/local.md)
  --json            print the log as the deployed functions write it
  --data DIR        keep the data in DIR instead of .local
  -c KEY=VALUE      set a key of the CDK context, as for cdk deploy (docs/deployment.md)

The service listens on the port in the variable PORT, by default 3000, and its token issuer on the next.
`;

/** The port of Node.js for debuggers, unless another one is chosen. */
const INSPECTOR_PORT = '9229';

/** `npm start`. */
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
 * Lets debuggers connect to this process, and through it to the threads of the functions.
 * @throws Error if the port is in use.
 */
function openInspector(port: number): void {
  // An editor that starts this process with its own debugger has opened one already.
  if (inspector.url() !== undefined) return;
  inspector.open(port, '127.0.0.1');
  if (inspector.url() !== undefined) return;
  throw new Error(`Port ${port} is in use: choose another one, as in --inspect=9230.`);
}

function readArguments({ args, env }: CommandIo) {
  // npm takes options before `--` as its own.
  for (const option of ['reset', 'watch', 'inspect', 'json', 'data', 'context']) {
    if (env[`npm_config_${option}`]) {
      throw new WrongUsage(`Write the options after --, as in npm start -- --${option}.`);
    }
  }
  const { values } = readOptions({
    // As for Node.js itself, the port is optional.
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
    throw new Error(`${name} must be a number from 0 to 65535 (0 for any free port).`);
  }
  return port;
}

function welcome({ baseUrl, issuer }: State, data: string): string {
  const token = `npm run -s token${data === '.local' ? '' : ` -- --data "${data}"`}`;
  return `
The recruitment service listens on ${baseUrl}
Its tokens come from ${issuer} (${token})
Open ${baseUrl}/docs in a browser to read about the API and to try it.

In another terminal${process.platform === 'win32' ? ' (Git Bash)' : ''}, in this folder, read an application:

  curl -i "${baseUrl}/v1/jobs/4007/applications/c-1001" \\
    -H "Authorization: Bearer $(${token})"

Close a job:

  curl -i -X PATCH "${baseUrl}/v1/jobs/4007/status" \\
    -H "Authorization: Bearer $(${token})" \\
    -H "Content-Type: application/json" -d '{"status": "closed"}'

Each request logs one line, and each change of a job prints its event. Press Ctrl-C to stop.
`;
}

await runMain(import.meta, command);
