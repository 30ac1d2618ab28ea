import { cpus } from 'node:os';
import { type CommandIo, readOptions, runMain } from '../../infra/command/run-command.ts';
import { beside, buildContenders, type Contender, measured, reference } from './contenders.ts';
import { coldRows, warmRows } from './measurements.ts';
import { lineOf } from './report.ts';
import { checkResponses } from './responses.ts';
import { startStub } from './stub.ts';

const usage = `Usage: npm run bench -- [--rounds N] [--beside FOLDER]

Builds both functions, and compares their CPU time with that of a plain function that does the same.

  --rounds N       measure all in turn N times, by default 9
  --beside FOLDER  measure the functions of another checkout too; run npm run build there first
`;

async function run({ args, stdout }: CommandIo): Promise<undefined> {
  const { values } = readOptions({
    args,
    options: {
      rounds: { type: 'string', default: '9' },
      beside: { type: 'string' },
    },
  });
  const others: Contender[] = [reference];
  if (values.beside) others.push(beside(values.beside));
  await buildContenders();
  const setting = { stub: await startStub(), others, rounds: Number(values.rounds) };
  for (const operation of measured) await checkResponses(operation, setting);

  const print = (line: string) => stdout.write(`${line}\n`);
  print(
    `Medians of ${values.rounds} interleaved rounds, with the least and the greatest in brackets.`,
  );
  print(
    `Node.js ${process.version}, ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}`,
  );
  for (const measure of [coldRows, warmRows]) {
    for (const operation of measured) {
      for (const row of await measure(operation, setting)) print(lineOf(row));
    }
  }
}

await runMain(import.meta, { usage, run });
// The stub still listens. After a failure, measured processes still run too.
process.exit();
