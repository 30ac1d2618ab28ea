// Measures the built functions beside references that do the same work:
// npm run bench -- [--only cold,warm,memory,size] [--rounds 9] [--beside FOLDER]
// FOLDER is another checkout of this project in which `npm run build` was run.
// npm run bench -- --files: a read beside one of an application with two files in S3.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  beside,
  buildContenders,
  type Contender,
  measured,
  references,
  withFiles,
} from './contenders.ts';
import { parts } from './measurements.ts';
import { checkReplies } from './replies.ts';
import { lineOf } from './report.ts';
import { startStub } from './stub.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(parts).join(',') },
    rounds: { type: 'string', default: '9' },
    beside: { type: 'string' },
    files: { type: 'boolean', default: false },
  },
});
const others: Contender[] = values.files ? [withFiles] : [...references];
const compared = values.files ? (['get-application'] as const) : measured;
if (values.beside) others.push(beside(values.beside));
await buildContenders();
const setting = { stub: await startStub(), others, rounds: Number(values.rounds) };
if (!values.files) for (const operation of measured) await checkReplies(operation, setting);

const print = (line: string) => process.stdout.write(`${line}\n`);
print(
  `Medians of ${values.rounds} interleaved rounds, with the least and the greatest in brackets.`,
);
print(`Node.js ${process.version}, ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
for (const [part, measure] of Object.entries(parts)) {
  if (!values.only.split(',').includes(part)) continue;
  for (const operation of compared) {
    for (const row of await measure(operation, setting)) print(lineOf(row));
  }
}
process.exit();
