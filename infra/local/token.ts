// `npm run token`: prints an access token of the running local issuer.
import { type CommandIo, parseOptions, runMain, WrongUsage } from '../cli/command.ts';
import { dataFolder, readState } from '../cli/state.ts';
import { allScopes, requestToken } from './request-token.ts';

const usage = `Usage: npm run token -- [--scope "…"] [--tenant T] [--subject S] [--expires-in SECONDS] [--data DIR]

  --scope       scopes, separated by spaces; by default all of them
  --tenant      the tenant to act in; by default "default"; --tenant= for none
  --subject     who acts; by default "local-user"
  --expires-in  seconds until it expires; by default 3600; --expires-in=-3600 for an expired token
  --data        the folder with the service's data; by default .local

In a script, npm run -s prints only the token: TOKEN=$(npm run -s token)
`;

/** `npm run token`. */
export const command = { usage, run };

async function run({ args, stdout }: CommandIo): Promise<undefined> {
  const { scope, tenant, subject, 'expires-in': expires_in, data } = readArguments(args);
  const { tokenEndpoint } = readState(dataFolder(data));
  const token = await requestToken(tokenEndpoint, { scope, tenant, subject, expires_in });
  stdout.write(`${token}\n`);
}

function readArguments(args: readonly string[]) {
  const { values } = parseOptions({
    args,
    options: {
      scope: { type: 'string', default: allScopes },
      tenant: { type: 'string', default: 'default' },
      subject: { type: 'string', default: 'local-user' },
      'expires-in': { type: 'string', default: '3600' },
      data: { type: 'string', default: '.local' },
    },
  });
  if (!/^-?\d{1,9}$/.test(values['expires-in'])) {
    throw new WrongUsage('--expires-in must be a whole number of seconds.');
  }
  return values;
}

await runMain(import.meta, command);
