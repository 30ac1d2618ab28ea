import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { parseS3Uri, S3_URI_RULE } from '../../functions/domain/s3-uri.ts';
import {
  type Command,
  type CommandIo,
  readOptions,
  requireIdentifier,
  runMain,
  UsageError,
} from '../command/run-command.ts';
import { dataFolder, readServiceState } from '../command/service-state.ts';
import { checkTableOptions, tableOptions, tableUsage } from '../data/table/table-options.ts';
import { type SmokeOptions, smoke } from './smoke-checks.ts';

const usage = `Usage: TOKEN=… npm run smoke -- [--data DIR | --base-url URL [--table NAME [--region REGION]]]
                                [--tenant T] [--file URI] [--for TIME]

Checks that a deployment rejects invalid requests, reads an application, and changes a job's status and restores it.
TOKEN is an access token with both scopes. With --base-url but without --table, it must have none.

  --base-url URL   the address of the API: the stack's BaseUrl output; by default the local service
  --tenant T       the tenant of the token; by default "default"
  --file URI       the S3 URI of a file in the deployment's bucket; its presigned URL must open
  --for TIME       watch a rollout for TIME, such as 12m or 90s: once a second, read the application and set the
                   job's current status
${tableUsage(17)}
Writes a job and an application whose ids begin with smoke-, and removes both at the end or after Ctrl-C; if that
fails, they expire an hour after the test. With --base-url but without --table, it writes nothing, and checks that a
TOKEN without any scope of the API can do nothing.

Without --for, subscribers receive the events of two status changes (npm start may print only the second). With --for,
they receive none, and the command ends at the first wrong response, or at the second 429, 503 or lost response within
a minute.

Exit codes:
  0  every check passed
  1  a check failed, or the command was stopped
  2  the command line was invalid, and nothing was sent
`;

export const smokeCommand = (
  timing: Pick<SmokeOptions, 'timeoutMs' | 'now' | 'pause'>,
): Command => ({
  usage,
  async run(io) {
    const { base, durationMs, ...options } = readArguments(io);
    const baseUrl = readBaseUrl(base ?? readServiceState(dataFolder(options.data)).baseUrl);
    const isProbe = base !== undefined && options.table === undefined && options.data === undefined;
    if (isProbe && (durationMs > 0 || options.file)) {
      throw new UsageError('With --base-url, the options --for and --file also need --table.');
    }
    const token = readToken(io, durationMs);
    return smoke({ ...options, ...timing, baseUrl, token, isProbe, durationMs }, io);
  },
});

export const command = smokeCommand({
  timeoutMs: 10_000,
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
});

function readArguments({ args }: CommandIo) {
  const { values } = readOptions({
    args,
    options: {
      'base-url': { type: 'string' },
      tenant: { type: 'string', default: 'default' },
      file: { type: 'string' },
      for: { type: 'string', default: '0s' },
      ...tableOptions,
    },
  });
  checkTableOptions(values);
  const { 'base-url': base, for: time, ...others } = values;
  if (others.table !== undefined && base === undefined) {
    throw new UsageError('--table can only be used with --base-url.');
  }
  requireIdentifier('tenant', others.tenant);
  if (others.file !== undefined && !parseS3Uri(others.file)) {
    throw new UsageError(`--file must be ${S3_URI_RULE}.`);
  }
  const [, count, unit] = /^(\d{1,4})([sm])$/.exec(time) ?? [];
  if (count === undefined) throw new UsageError('--for must be a time such as 12m or 90s.');
  return { ...others, base, durationMs: Number(count) * (unit === 'm' ? 60_000 : 1000) };
}

function readBaseUrl(address: string): URL {
  const url = URL.parse(address);
  const isLocal =
    url?.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname);
  if ((isLocal || url?.protocol === 'https:') && url.search + url.hash === '') return url;
  throw new UsageError(
    '--base-url must be an https URL without a query, because the token is sent to it.',
  );
}

function readToken({ env: { TOKEN = '' } }: CommandIo, durationMs: number): string {
  // RFC 6750, section 2.1.
  if (!/^[\w.~+/-]+=*$/.test(TOKEN)) {
    throw new UsageError(
      'Set the variable TOKEN to an access token (for the local service, TOKEN=$(npm run -s token)).',
    );
  }
  const endsAt = Date.now() + durationMs;
  try {
    if (durationMs === 0 || Number(decodeJwt(TOKEN).exp) * 1000 >= endsAt) return TOKEN;
  } catch {
    throw new UsageError('TOKEN is not a JWT.');
  }
  throw new UsageError('The access token expires before --for ends.');
}

await runMain(import.meta, command);
