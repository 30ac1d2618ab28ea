// npm run cost: prints the monthly bill of a deployment; with --docs, writes what documents show of it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { root, writeChanged } from '../build/files.ts';
import { billOf } from '../cost/bill.ts';
import { chartFiles, withExample } from '../cost/documents.ts';
import { measurements } from '../cost/measurements.ts';
import { memorySizesMb } from '../cost/memory-rule.ts';
import { readOptions, USAGE } from '../cost/options.ts';
import { priceDate, priceRegion } from '../cost/prices.ts';
import { basisText, billText, sizesText } from '../cost/report.ts';
import { atSize } from '../cost/sizes.ts';
import type { Month } from '../cost/usage.ts';
import { runCommand } from './command.ts';

await runCommand(USAGE, main);

async function main(): Promise<undefined> {
  const options = readOptions(process.argv.slice(2));
  if (options.do === 'docs') return writeDocuments();
  if (options.do === 'help') process.stdout.write(USAGE);
  else process.stdout.write(options.json ? json(options.month) : text(options.month));
  return undefined;
}

async function writeDocuments(): Promise<undefined> {
  const readme = await readFile(pathOf('README.md'), 'utf8');
  const files = { ...chartFiles(), 'README.md': withExample(readme) };
  for (const [name, contents] of Object.entries(files)) {
    await writeChanged(pathOf(name), Buffer.from(contents));
  }
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, root));
}

function text(month: Month): string {
  const bill = billText(month, billOf(month, measurements));
  const sizes = sizesText(month, measurements);
  return `${bill}\n${sizes}\n${basisText(measurements, month.assumptions)}`;
}

function json(month: Month): string {
  const bill = billOf(month, measurements);
  const sizes = memorySizesMb.map((size) => atSize(size, measurements, month.assumptions));
  const prices = { region: priceRegion, date: priceDate };
  return `${JSON.stringify({ month, bill, sizes, prices, measurements }, undefined, 2)}\n`;
}
