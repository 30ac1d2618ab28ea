import { defaultAssumptions } from './assumptions.ts';
import { billOf } from './bill.ts';
import { costCharts } from './charts.ts';
import { measurements } from './measurements.ts';
import { memorySizeMb } from './memory-size.ts';
import { billText, sizesText } from './report.ts';
import type { Month } from './usage.ts';

/** The month that the documents show. */
const example: Month = {
  requests: { 'get-application': 3_000_000, 'update-job-status': 300_000 },
  memoryMb: memorySizeMb,
  assumptions: defaultAssumptions,
};

const { 'get-application': reads, 'update-job-status': writes } = example.requests;
const COMMAND = `npm run -s cost -- --reads ${reads} --writes ${writes}`;

/** What stands around the example in README.md. */
const BEGIN = '<!-- Written by npm run cost -- --docs -->';
const END = '<!-- End of what npm run cost writes -->';

/** The charts of the documents, as SVG by their paths. */
export function chartFiles(): Record<string, string> {
  const charts = costCharts(memorySizeMb, measurements, defaultAssumptions);
  return { 'docs/cost.svg': charts['cost.svg'], 'docs/cold-start.svg': charts['cold-start.svg'] };
}

/**
 * README.md with the example of today's measurements and prices.
 * @throws Error where the comments that stand around it are missing.
 */
export function withExample(readme: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin === -1 || end < begin) {
    throw new Error(`README.md must hold ${BEGIN} and, behind it, ${END}: put them back.`);
  }
  return `${readme.slice(0, begin)}${BEGIN}\n\n${exampleText()}\n${readme.slice(end)}`;
}

function exampleText(): string {
  const bill = billText(example, billOf(example, measurements));
  const sizes = sizesText(example, measurements);
  return `\`\`\`\n$ ${COMMAND}\n${bill}\n${sizes}\`\`\`\n`;
}
