// npm run bench: measures the built functions beside references that do the same work.
import { cpus } from 'node:os';
import { runCommand } from '../../infra/cli/command.ts';
import { buildContenders } from './contenders.ts';
import { parts } from './measurements.ts';
import { readOptions, USAGE } from './options.ts';
import { lineOf } from './report.ts';
import { startStub } from './stub.ts';

await runCommand(USAGE, async ({ args, stdout, stderr }) => {
  const { only, rounds } = readOptions(args);
  await buildContenders();
  const stub = await startStub();
  try {
    stdout.write(
      `Medians of ${rounds} interleaved rounds, with the least and the greatest in brackets; ratios are of ours to the other.\n` +
        `Node.js ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`,
    );
    for (const part of only) {
      stderr.write(`Measuring: ${part} …\n`);
      for (const row of await parts[part]({ stub, rounds })) stdout.write(`${lineOf(row)}\n`);
    }
  } finally {
    stub.stop();
  }
});
// After a failure, handlers still wait for commands.
process.exit();
