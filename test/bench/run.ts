// npm run bench: measures the built functions against references that do the same work.
import { runCommand } from '../../infra/commands/command.ts';
import { buildContenders } from './contenders.ts';
import { machine } from './machine.ts';
import { measureCold } from './measure/cold.ts';
import { measureWarm } from './measure/warm.ts';
import { type Options, type Part, readOptions, USAGE } from './options.ts';
import { holds, type Row } from './report/row.ts';
import { coldRows, warmRows } from './report/speed-rows.ts';
import { tableOf } from './report/table.ts';
import { type Stub, startStub } from './stub/start.ts';

type Measurement = (stub: Stub, rounds: number) => Promise<Row[]>;

const measurements: Record<Part, Measurement> = {
  cold: async (stub, rounds) => coldRows(await measureCold(stub, rounds)),
  warm: async (stub, rounds) => warmRows(await measureWarm(stub, rounds)),
};

await runCommand(USAGE, main);

async function main(): Promise<number | undefined> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  await buildContenders();
  const stub = await startStub();
  const rows = await measure(options, stub).finally(() => stub.stop());
  process.stdout.write(options.json ? jsonOf(rows) : textOf(rows));
  return options.strict && rows.some((row) => holds(row) === false) ? 1 : 0;
}

async function measure({ only, rounds }: Options, stub: Stub): Promise<Row[]> {
  const rows: Row[] = [];
  for (const part of only) {
    process.stderr.write(`Measuring: ${part} …\n`);
    rows.push(...(await measurements[part](stub, rounds)));
  }
  return rows;
}

function textOf(rows: readonly Row[]): string {
  const { processor, cores, node, platform } = machine();
  return `${tableOf(rows)}\nNode.js ${node} on ${platform}, ${processor}, ${cores} cores\n`;
}

function jsonOf(rows: readonly Row[]): string {
  const held = rows.map((row) => ({ ...row, holds: holds(row) }));
  return `${JSON.stringify({ machine: machine(), rows: held }, undefined, 2)}\n`;
}
