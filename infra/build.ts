import { join } from 'node:path';
import { type CommandIo, readOptions, runMain } from './command/run-command.ts';
import { buildPackage } from './data/writer/build.ts';
import { root } from './project.ts';
import { buildBundles } from './stack/bundle/bundles.ts';

const usage = `Usage: npm run build

Writes both functions to dist/functions/, as they are deployed, and the writer's package to dist/writer/.
`;

async function run({ args }: CommandIo): Promise<undefined> {
  readOptions({ args });
  await buildBundles();
  await buildPackage(join(root, 'dist/writer'));
}

await runMain(import.meta, { usage, run });
