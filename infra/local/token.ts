import { isObject } from '../../functions/domain/own-value.ts';
import { type CommandIo, parseOptions, runMain, UsageError } from '../command/run-command.ts';
import { dataFolder, readServiceState } from '../command/service-state.ts';

const usage = `Usage: npm run token -- [--scope "…"] [--tenant T] [--subject S] [--expires-in SECONDS] [--data DIR]

Prints an access token of the running local service. In a script: TOKEN=$(npm run -s token)

  --scope       the scopes, separated by spaces (default: all)
  --tenant      the tenant to act in (default: "default"); --tenant= omits the claim
  --subject     the token's sub (default: "local-user")
  --expires-in  seconds until the token expires (default: 3600); --expires-in=-3600 makes an expired one
  --data        the folder with the service's data (default: .local)
`;

export const command = { usage, run };

async function run({ args, stdout }: CommandIo): Promise<undefined> {
  const { values } = parseOptions({
    args,
    options: {
      scope: { type: 'string' },
      tenant: { type: 'string' },
      subject: { type: 'string' },
      'expires-in': { type: 'string', default: '3600' },
      data: { type: 'string' },
    },
  });
  const { data, 'expires-in': expires_in, ...parameters } = values;
  if (!/^-?\d{1,9}$/.test(expires_in)) {
    throw new UsageError('--expires-in must be a whole number of seconds.');
  }
  const { issuer, tokenEndpoint } = readServiceState(dataFolder(data));
  if (tokenEndpoint === undefined) {
    throw new Error(
      `The service was started with -c issuer=${issuer} and accepts only that issuer's tokens. Get one there, or start ` +
        'the service without -c issuer.',
    );
  }
  stdout.write(`${await requestToken(tokenEndpoint, { ...parameters, expires_in })}\n`);
}

/**
 * @param parameters see `startIssuer`.
 * @throws Error if the response has no token.
 */
export async function requestToken(
  tokenEndpoint: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...parameters });
  const response = await fetch(tokenEndpoint, { method: 'POST', body });
  const given = await response.json();
  if (isObject(given) && typeof given.access_token === 'string') return given.access_token;
  throw new Error(`The issuer responded with ${response.status} and no token.`);
}

await runMain(import.meta, command);
