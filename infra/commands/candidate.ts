// `npm run candidate`: exports or erases all that is stored of a candidate.
import { parseArgs } from 'node:util';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isIdentifier } from '../../functions/domain/identifier.ts';
import { eraseCandidate, StillFound } from '../candidate/erase-candidate.ts';
import { anonymise, remove } from '../candidate/erasure.ts';
import { exportCandidate } from '../candidate/export-candidate.ts';
import { IndexUnavailable, type Search, type Table } from '../candidate/find-applications.ts';
import { explainFailure } from '../data/explain-failure.ts';
import { runCommand, WrongUsage } from './command.ts';
import { confirm } from './confirmation.ts';
import { writeNew } from './output-file.ts';
import {
  checkTarget,
  openTarget,
  TARGET_USAGE,
  type TargetOptions,
  targetOptions,
} from './target.ts';

const USAGE = `Usage: npm run -s candidate -- export --tenant T --id C [--output FILE]
       npm run -s candidate -- erase --tenant T --id C [--anonymise] [--yes]

export writes all applications of a candidate, to whichever jobs, as one JSON document to standard
output or to a new FILE that only its owner may read.

erase removes them for good, and looks again until none is left. It asks to type the candidate's id
before. A run that has stopped is finished by the same command; done again, it finds nothing. It
prints jobs and counts, and no other personal data than the ids.

  --tenant T       the tenant; "default" where the service has one alone
  --id C           the candidate: "user_id" in the API's answer
  --output FILE    write the export there; a file that exists is not overwritten
  --anonymise      keep job, stage, score and day of each application under a random id
  --yes            do not ask
  --scan           look through the whole table instead of the index: slow, but certain to find
                   applications that were written a moment ago, or without the index's attribute
${TARGET_USAGE}
The exit code is 0 if all went well, 1 if not, 2 if the command was wrong. How to answer a request for
erasure or access, and what stays elsewhere: docs/runbooks/erase-candidate.md.
`;

/** A table that throttles is asked for up to a minute or so. */
const ATTEMPTS = 10;
/** The mode of a file with personal data. */
const OWNER_ONLY = 0o600;

type Arguments = ReturnType<typeof readArguments>;

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const values = readArguments();
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { client, tableName } = openTarget(values, ATTEMPTS);
  const documents = DynamoDBDocumentClient.from(client, {
    // Numbers beyond 2^53 would become BigInt, which JSON cannot hold.
    unmarshallOptions: { wrapNumbers: Number },
  });
  const table = { client: documents, name: tableName };
  try {
    await (values.action === 'erase' ? erase(values, table) : write(values, table));
  } finally {
    client.destroy();
  }
}

async function write({ candidate, search, output }: Arguments, table: Table): Promise<void> {
  const found = await exportCandidate(table, candidate, search).catch((error) => {
    throw new Error(`Nothing has been exported. ${explain(error, table)}`, { cause: error });
  });
  const text = `${JSON.stringify(found, undefined, 2)}\n`;
  if (output === undefined) process.stdout.write(text);
  else await writeNew(output, text, OWNER_ONLY);
  process.stderr.write(`${found.applications.length} applications exported.\n`);
}

async function erase(values: Arguments, table: Table): Promise<void> {
  const { candidate, search, yes, anonymise: isAnonymised } = values;
  const whom = `candidate ${quoted(candidate.id)} of tenant ${quoted(candidate.tenant)}`;
  const what = isAnonymised ? 'Anonymises' : 'Removes';
  const warning = `${what} for good all applications of ${whom} in the table ${table.name}.`;
  if (!yes) await confirm(warning, candidate.id);
  const { removed, anonymised } = await eraseCandidate({
    table,
    candidate,
    search,
    erasure: isAnonymised ? anonymise : remove,
    onErased: (job, outcome) => say(`${outcome} the application to job ${quoted(job)}`),
  }).catch((error) => {
    const again = 'The erasure has stopped: run the same command again.';
    throw new Error(`${again} ${explain(error, table)}`, { cause: error });
  });
  say(`${whom}: ${removed} applications removed, ${anonymised} anonymised, nothing left`);
}

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString()} ${text}\n`);
}

/** An id may hold anything but control characters. */
function quoted(id: string): string {
  return JSON.stringify(id);
}

function explain(error: unknown, { name }: Table): string {
  const isOurs = error instanceof IndexUnavailable || error instanceof StillFound;
  return isOurs ? error.message : explainFailure(error, name);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...targetOptions,
      help: { type: 'boolean', default: false },
      tenant: { type: 'string', default: '' },
      id: { type: 'string', default: '' },
      output: { type: 'string' },
      anonymise: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const [action = '', ...others] = positionals;
  const candidate = { tenant: values.tenant, id: values.id };
  const search: Search = values.scan ? 'scan' : 'index';
  if (!values.help) check(action, others, values);
  return { ...values, action, candidate, search };
}

interface Values extends TargetOptions {
  tenant: string;
  id: string;
  output?: string;
  anonymise: boolean;
  yes: boolean;
}

function check(action: string, others: string[], values: Values): void {
  if (!['erase', 'export'].includes(action) || others.length > 0) {
    throw new WrongUsage('Say erase or export.');
  }
  for (const name of ['tenant', 'id'] as const) {
    if (isIdentifier(values[name])) continue;
    throw new WrongUsage(`--${name} is needed: 1 to 256 bytes without control characters.`);
  }
  if (values.output === '') throw new WrongUsage('An option has an empty value.');
  if (action === 'export' && (values.anonymise || values.yes)) {
    throw new WrongUsage('--anonymise and --yes go with erase.');
  }
  if (action === 'erase' && values.output !== undefined) {
    throw new WrongUsage('--output goes with export.');
  }
  checkTarget(values);
}
