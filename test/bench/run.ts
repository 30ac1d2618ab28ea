// npm run bench: measures the built functions against references that do the same work.
import { buildBundles } from '../../infra/bundle/bundles.ts';
import { runCommand } from '../../infra/cli/command.ts';
import { buildReferences } from './contenders.ts';
import { machine } from './machine.ts';
import { measureCold } from './measure/cold.ts';
import { measureDatabase } from './measure/database.ts';
import { measureMemory } from './measure/memory.ts';
import { measureMiddleware } from './measure/middleware.ts';
import { type Load, measureService } from './measure/service.ts';
import { measureSizes } from './measure/size.ts';
import { measureWarm } from './measure/warm.ts';
import { type Options, type Part, readOptions, USAGE } from './options.ts';
import { holds, type Row } from './report/row.ts';
import { serviceTable } from './report/service-table.ts';
import { databaseRows, memoryRows, sizeRows } from './report/space-rows.ts';
import { coldRows, middlewareRows, warmRows } from './report/speed-rows.ts';
import { tableOf } from './report/table.ts';
import { type Stub, startStub } from './stub/start.ts';

/** What gives lines of the one table; the local service has a table of its own. */
const measurements: Record<
  Exclude<Part, 'service'>,
  (stub: Stub, rounds: number) => Promise<Row[]>
> = {
  cold: async (stub, rounds) => coldRows(await measureCold(stub, rounds)),
  warm: async (stub, rounds) => warmRows(await measureWarm(stub, rounds)),
  middleware: async (stub, rounds) => middlewareRows(await measureMiddleware(stub, rounds)),
  memory: async (stub, rounds) => memoryRows(await measureMemory(stub, rounds)),
  size: async () => sizeRows(measureSizes()),
  database: async (stub) => databaseRows(await measureDatabase(stub)),
};

await runCommand(USAGE, main);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  await Promise.all([buildBundles(), buildReferences()]);
  const stub = await startStub();
  const report = await measure(options, stub).finally(() => stub.stop());
  process.stdout.write(options.json ? jsonOf(report) : textOf(report));
  for (const failure of report.failures) process.stderr.write(`Not measured: ${failure}\n`);
  if (report.failures.length > 0) return 1;
  return options.strict && report.rows.some((row) => holds(row) === false) ? 1 : 0;
}

interface Report {
  rows: Row[];
  loads: Load[];
  /** The parts that could not be measured, and why. */
  failures: string[];
}

async function measure({ only, rounds }: Options, stub: Stub): Promise<Report> {
  const report: Report = { rows: [], loads: [], failures: [] };
  for (const part of only) {
    process.stderr.write(`Measuring: ${part} …\n`);
    try {
      if (part === 'service') report.loads.push(...(await measureService()));
      else report.rows.push(...(await measurements[part](stub, rounds)));
    } catch (error) {
      // What was measured before is not lost.
      report.failures.push(`${part}. ${error}`);
    }
  }
  return report;
}

function textOf({ rows, loads }: Report): string {
  const { processor, cores, node, platform } = machine();
  const tables = [
    ...(rows.length > 0 ? [tableOf(rows)] : []),
    ...(loads.length > 0 ? [serviceTable(loads)] : []),
  ];
  const notes = 'Times are processor time; medians, with quartiles in brackets.';
  return `${tables.join('\n')}\n${notes}\nNode.js ${node}, ${platform}, ${processor}, ${cores} cores\n`;
}

function jsonOf({ rows, loads }: Report): string {
  const held = rows.map((row) => ({ ...row, holds: holds(row) }));
  return `${JSON.stringify({ machine: machine(), rows: held, service: loads }, undefined, 2)}\n`;
}
