// `npm run token`: prints an access token of the running local issuer.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { operationNames, operations } from '../../functions/contract/operations.ts';
import { runCommand, WrongUsage } from '../cli/command.ts';
import { readState, root } from '../cli/state.ts';

const USAGE = `Usage: npm run token -- [--scope "…"] [--tenant T] [--subject S] [--expires-in SECONDS] [--data DIR]

  --scope       scopes, separated by spaces; by default all of them
  --tenant      the tenant it acts in; by default "default"; --tenant= for none
  --subject     who acts; by default "local-user"
  --expires-in  seconds until it expires; by default 3600; for one that has expired, --expires-in=-3600
  --data        the folder of the service's data; by default .local

In a script, npm run -s prints the token alone: TOKEN=$(npm run -s token)
`;

const allScopes = operationNames.map((name) => operations[name].scope).join(' ');

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const values = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { tokenEndpoint } = readState(resolve(fileURLToPath(root), values.data));
  const response = await fetch(tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: values.scope,
      tenant: values.tenant,
      subject: values.subject,
      expires_in: values['expires-in'],
    }),
  });
  const answer: { access_token?: unknown } = Object(await response.json());
  const token = answer.access_token;
  if (typeof token !== 'string') throw new Error(`The issuer answered ${response.status}.`);
  process.stdout.write(`${token}\n`);
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
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
