// `npm run candidate`: exports or erases all that is stored of a candidate.
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { runCommand } from '../../cli/command.ts';
import { confirm } from '../../cli/confirmation.ts';
import { Interrupted, interruption } from '../../cli/interruption.ts';
import { writeNew } from '../../cli/output-file.ts';
import { openTarget } from '../../cli/target.ts';
import { explainFailure } from '../import/explain-failure.ts';
import { eraseCandidate, StillFound } from './erase-candidate.ts';
import { anonymise, remove } from './erasure.ts';
import { exportCandidate } from './export-candidate.ts';
import { IndexUnavailable, jobsOf, type Table } from './find-applications.ts';
import { type Arguments, readArguments, USAGE } from './options.ts';
import { endOf, foundText, quoted } from './report.ts';

/** A table that throttles is asked for up to a minute or so. */
const ATTEMPTS = 10;
/** The mode of a file with personal data. */
const OWNER_ONLY = 0o600;

/** Errors of this command, whose messages hold nothing of a record. */
const OURS = [IndexUnavailable, Interrupted, StillFound];

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const values = readArguments();
  if (values.help) process.stdout.write(USAGE);
  else if (values.action === 'export') await withTable(values, write);
  else await erase(values);
}

type Work = (values: Arguments, table: Table) => Promise<void>;

async function withTable(values: Arguments, work: Work): Promise<void> {
  const { client, tableName } = openTarget(values, ATTEMPTS);
  const documents = DynamoDBDocumentClient.from(client, {
    // Numbers beyond 2^53 would become BigInt, which JSON cannot hold.
    unmarshallOptions: { wrapNumbers: Number },
  });
  try {
    await work(values, { client: documents, name: tableName });
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

/** What is kept as the proof of an erasure is standard output: that it has failed belongs there too. */
async function erase(values: Arguments): Promise<void> {
  const whom = whomOf(values);
  try {
    await withTable(values, async (_, table) => {
      if (!values.yes) await confirmed(values, table);
      say(`${whom}: ${endOf(await eraseFrom(values, table))}`);
    });
  } catch (error) {
    say(`${whom}: ${error instanceof Error ? error.message : 'stopped by an unknown failure.'}`);
    throw error;
  }
}

async function confirmed(values: Arguments, table: Table): Promise<void> {
  const { candidate, search, anonymise: isAnonymised } = values;
  const what = isAnonymised ? 'Anonymises' : 'Removes';
  const warning = `${what} for good all applications of ${whomOf(values)} in the table ${table.name}.`;
  const found = await jobsOf(table, candidate, search).catch((error) => {
    throw new Error(`Nothing has been erased. ${explain(error, table)}`, { cause: error });
  });
  await confirm(`${warning}\n${foundText(found)}`, candidate.id);
}

async function eraseFrom({ candidate, search, ...values }: Arguments, table: Table) {
  return eraseCandidate({
    table,
    candidate,
    search,
    erasure: values.anonymise ? anonymise : remove,
    onErased: (job, outcome) => say(`${outcome} the application to job ${quoted(job)}`),
    signal: interruption(),
  }).catch((error) => {
    const again = 'The erasure has stopped: run the same command again.';
    throw new Error(`${again} ${explain(error, table)}`, { cause: error });
  });
}

function whomOf({ candidate: { id, tenant } }: Arguments): string {
  return `candidate ${quoted(id)} of tenant ${quoted(tenant)}`;
}

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString()} ${text}\n`);
}

function explain(error: unknown, { name }: Table): string {
  const isOurs = error instanceof Error && OURS.some((each) => error instanceof each);
  return isOurs ? error.message : explainFailure(error, name);
}
