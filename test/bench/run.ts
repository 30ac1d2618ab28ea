// npm run bench: measures the built functions beside references that do the same work.
import { cpus } from 'node:os';
import { runCommand } from '../../infra/cli/command.ts';
import { buildContenders } from './contenders.ts';
import { readOptions, USAGE } from './options.ts';
import { parts } from './parts.ts';
import { tableOf } from './report.ts';
import { startStub } from './stub/start.ts';

await runCommand(USAGE, async () => {
  const { help, only, rounds } = readOptions(process.argv.slice(2));
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  await buildContenders();
  const stub = await startStub();
  try {
    process.stdout.write(
      `Medians of ${rounds} interleaved rounds, with the least and the greatest in brackets; ratios are of ours to the other.\n` +
        `Node.js ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`,
    );
    for (const part of only) {
      process.stderr.write(`Measuring: ${part} …\n`);
      process.stdout.write(tableOf(await parts[part]({ stub, rounds })));
    }
  } finally {
    await stub.stop();
  }
});
// After a failure, handlers still wait for commands.
process.exit();
