// `npm run smoke`: checks a deployment from outside.
import { text } from 'node:stream/consumers';
import {
  type Command,
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  WrongUsage,
} from '../cli/command.ts';
import { dataFolder, readState } from '../cli/state.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../cli/table-options.ts';

const usage = `Usage: TOKEN=… npm run smoke -- [--data DIR | --base-url URL [--table NAME [--region REGION]]]
                                [--tenant T] [--token TOKEN]

Checks that a deployment works: it rejects invalid requests, reads an application, changes a job's
status and changes it back. The command writes this job and application to the table, with ids that begin
with smoke-, and removes them at the end. With --base-url but without --table, it only checks rejections.
The exit code is 0 if every check passed, 1 if not, 2 if the command line was wrong.

  --base-url URL   the address of the API: the stack's output BaseUrl; by default the local service
  --token TOKEN    an access token with both scopes; - reads it from standard input. Other users of the
                   machine can see arguments, so prefer the variable TOKEN
  --tenant T       the tenant that the token acts in; by default "default"
${tableUsage(17)}
Consumers of events receive two status changes of a job whose id begins with smoke-.
`;

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * `npm run smoke`.
 * @param settlingMs how long an eventually consistent read may miss an earlier write
 * @param timeoutMs how long to wait for a response
 */
export const smokeCommand = (settlingMs: number, timeoutMs: number): Command => ({
  usage,
  async run(io) {
    const { token, base, ...options } = readArguments(io);
    const baseUrl = readBaseUrl(base ?? readState(dataFolder(options.data)).baseUrl);
    const isPartial =
      base !== undefined && options.table === undefined && options.data === undefined;
    const access = { baseUrl, token: await readToken(token, io) };
    const { smoke } = await import('./smoke-test.ts');
    return smoke({ ...options, ...access, isPartial, settlingMs, timeoutMs }, io);
  },
});

export const command = smokeCommand(5000, 10_000);

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      'base-url': { type: 'string' },
      token: { type: 'string' },
      tenant: { type: 'string', default: 'default' },
      ...tableOptions,
    },
  });
  checkTableOptions(values);
  const { 'base-url': base, ...others } = values;
  if (others.table !== undefined && base === undefined) {
    throw new WrongUsage('--table can only be used with --base-url.');
  }
  requireIdentifier('tenant', others.tenant);
  return { ...others, base };
}

function readBaseUrl(address: string): URL {
  const url = URL.parse(address);
  const isLocal = url?.protocol === 'http:' && LOOPBACK.includes(url.hostname);
  if ((isLocal || url?.protocol === 'https:') && url.search + url.hash === '') return url;
  throw new WrongUsage(
    '--base-url must be an https URL without a query, because the token is sent to it.',
  );
}

/** The error for an invalid token shows nothing of it. */
async function readToken(option: string | undefined, { stdin, env }: CommandIo): Promise<string> {
  const token = (option === '-' ? await text(stdin) : (option ?? env.TOKEN ?? '')).trim();
  // RFC 6750, section 2.1.
  if (/^[\w.~+/-]+=*$/.test(token)) return token;
  throw new WrongUsage(
    'There is no valid access token: set the variable TOKEN (for the local service, TOKEN=$(npm run -s token)).',
  );
}

await runMain(import.meta, command);
