// `npm run smoke`: checks a deployment from outside.
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isIdentifier } from '../../../functions/domain/identifier.ts';
import { runCommand, WrongUsage } from '../../cli/command.ts';
import { readState, root, type State } from '../../cli/state.ts';
import { checkTarget, openTarget, TARGET_USAGE, targetOptions } from '../../cli/target.ts';
import { type SmokeCounts, smokeTest } from './smoke-test.ts';

const USAGE = `Usage: TOKEN=… npm run smoke -- --base-url URL --table NAME [--region REGION]
       TOKEN=… npm run smoke -- --base-url URL
       TOKEN=… npm run smoke -- [--data DIR]

Checks that a deployment works: it refuses, it reads an application, it sets a job's status and sets it
back. The job and the application are made for it in the table, with ids that begin with smoke-, and are
removed in the end. Without --table, and not for the local service, only refusals are checked.
The exit code is 0 if every check passed, 1 if not, 2 if the command was wrong.

  --base-url URL   where the API is: the stack's output BaseUrl; by default the local service
  --token TOKEN    an access token with both scopes; - reads it from standard input. Other users of the
                   machine see arguments: better set the variable TOKEN
  --tenant T       the tenant that the token acts in; by default "default"
  --timeout S      how many seconds to wait for an answer; by default 10
${TARGET_USAGE}
Consumers of events see two changes of status of a job whose id begins with smoke-.
`;

/** How long the whole may take, in milliseconds. */
const TOTAL_MS = 60_000;
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

const print = (line: string) => process.stdout.write(`${line}\n`);

await runCommand(USAGE, main);

async function main(): Promise<number> {
  const { help, token, tenant, timeout, 'base-url': base, ...options } = readArguments();
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const timeoutMs = readTimeout(timeout);
  const baseUrl = readBaseUrl(base ?? localService(options.data).baseUrl);
  const access = { baseUrl, timeoutMs, token: await readToken(token), signal: givingUp() };
  const isPartial = base !== undefined && options.table === undefined && options.data === undefined;
  const table = isPartial ? undefined : openTarget(options);
  try {
    const counts = await smokeTest({ access, table, tenant, report: print });
    return conclude(counts, access.signal, isPartial);
  } finally {
    table?.client.destroy();
  }
}

function localService(data = '.local'): State {
  return readState(resolve(fileURLToPath(root), data));
}

function conclude({ passed, failed }: SmokeCounts, signal: AbortSignal, isPartial: boolean) {
  if (signal.aborted) throw new Error(`The smoke test has not ended: ${signal.reason}.`);
  if (failed > 0)
    throw new Error(`The smoke test has failed: ${failed} of ${passed + failed} checks.`);
  print(`The smoke test has passed: ${passed} checks.`);
  if (isPartial)
    print('Not checked, for want of --table: reading an application, setting a status.');
  return 0;
}

/** Aborts when asked to, and when the time is over; what was made is still removed. */
function givingUp(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort(`stopped by ${signal}`));
  }
  const tooLong = () => controller.abort(`it took longer than ${TOTAL_MS / 1000} s`);
  setTimeout(tooLong, TOTAL_MS).unref();
  return controller.signal;
}

function readArguments() {
  const values = parse();
  if (Object.values(values).includes('')) throw new WrongUsage('An option has an empty value.');
  checkTarget(values);
  if (values.table !== undefined && values['base-url'] === undefined) {
    throw new WrongUsage('--table goes with --base-url.');
  }
  if (!isIdentifier(values.tenant)) throw new WrongUsage('--tenant cannot be a tenant.');
  return values;
}

function parse() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      'base-url': { type: 'string' },
      token: { type: 'string' },
      tenant: { type: 'string', default: 'default' },
      ...targetOptions,
      timeout: { type: 'string', default: '10' },
    },
  });
  return values;
}

function readTimeout(seconds: string): number {
  if (!/^[1-9]\d?$/.test(seconds)) throw new WrongUsage('--timeout must be 1 to 99 seconds.');
  return Number(seconds) * 1000;
}

function readBaseUrl(text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || LOOPBACK.includes(url?.hostname ?? '');
  if (url === null || !isSafe || !url.protocol.startsWith('http') || url.search + url.hash !== '') {
    throw new WrongUsage('--base-url must be an https URL, without a query: the token goes there.');
  }
  return url;
}

/** Tells nothing of a token that is wrong. */
async function readToken(option: string | undefined): Promise<string> {
  const given = option === '-' ? await text(process.stdin) : (option ?? process.env.TOKEN ?? '');
  const token = given.trim();
  if (token === '') throw new WrongUsage('Give an access token in the variable TOKEN.');
  // RFC 6750, section 2.1.
  if (!/^[\w.~+/-]+=*$/.test(token))
    throw new WrongUsage('The access token has a sign that none has.');
  return token;
}
