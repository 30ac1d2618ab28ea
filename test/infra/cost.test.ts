import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/cost.md', 'utf8');
const bill = page.slice(page.indexOf('## The bill'), page.indexOf('## Imports'));

/** The rows of the bill: the name, and the amounts without requests, with 3.3 million and with 100 million. */
const rows = [...bill.matchAll(/^\| (.+?) \|.*?((?: \|[ *\d.]*){3})\|$/gm)].map(
  ([, name = '', amounts = '']) => ({
    name: name.replaceAll('**', ''),
    amounts: amounts
      .split('|')
      .slice(1)
      .map((it) => Number(it.replaceAll('*', ''))),
  }),
);
const at = (name: string) => rows.findIndex((row) => row.name.startsWith(name));
const amountsOf = (index: number) => rows[index]?.amounts ?? [];
const MILLIONS = [Number.NaN, 3.3, 100];

describe('the bill', () => {
  const sum = amountsOf(at('Sum'));
  const stream = amountsOf(at('DynamoDB stream'));
  const sumWithStream = amountsOf(at('Sum with that'));

  it('adds up, and says what a million requests cost', () => {
    const lines = rows.slice(0, at('Sum'));
    expect(lines).toHaveLength(8);
    sum.forEach((amount, column) => {
      // Each line is rounded to a cent by itself.
      const total = lines.reduce((all, { amounts }) => all + (amounts[column] ?? Number.NaN), 0);
      expect(Math.abs(amount - total)).toBeLessThan(0.015);
    });
    expect(sumWithStream.map((it) => it.toFixed(2))).toEqual(
      sum.map((amount, column) => (amount + (stream[column] ?? 0)).toFixed(2)),
    );
    for (const [index, amounts] of [
      [at('Sum') + 1, sum],
      [at('Sum with that') + 1, sumWithStream],
    ] as const) {
      expect(rows[index]?.name).toBe('for a million requests');
      expect(
        amountsOf(index)
          .slice(1)
          .map((it) => it.toFixed(2)),
      ).toEqual(
        [1, 2].map((column) => ((amounts[column] ?? 0) / (MILLIONS[column] ?? 0)).toFixed(2)),
      );
    }
  });

  it('is what the text says', () => {
    const [idle, some, many] = sum;
    expect(page).toContain(`costs **${idle} USD a month without a request**`);
    expect(page).toContain(
      `${some?.toFixed(0)} USD with 3.3 million requests and ${many?.toFixed(0)} USD`,
    );
    expect(page).toContain(`${amountsOf(at('Sum') + 1)[2]} USD a million.`);
    const dev = amountsOf(at('DynamoDB storage'))[0] ?? 0;
    const withStream = dev + (stream[0] ?? 0);
    expect(bill).toContain(
      `at most ${dev.toFixed(2)} USD a month, and ${withStream.toFixed(2)} USD if AWS bills`,
    );
  });
});
