// Compares the built functions with a plain function that does the same. Usage:
// npm run bench -- [--rounds 9] [--beside FOLDER]
// FOLDER is another checkout, after `npm run build`.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { beside, buildContenders, type Contender, measured, reference } from './contenders.ts';
import { coldRows, warmRows } from './measurements.ts';
import { lineOf } from './report.ts';
import { checkResponses } from './responses.ts';
import { startStub } from './stub.ts';

const { values } = parseArgs({
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

const print = (line: string) => process.stdout.write(`${line}\n`);
print(
  `Medians of ${values.rounds} interleaved rounds, with the least and the greatest in brackets.`,
);
print(`Node.js ${process.version}, ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
for (const measure of [coldRows, warmRows]) {
  for (const operation of measured) {
    for (const row of await measure(operation, setting)) print(lineOf(row));
  }
}
process.exit();
