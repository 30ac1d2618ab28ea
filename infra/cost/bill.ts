import type { Measurements } from './measurements.ts';
import { type Price, type PriceName, priceNames, prices } from './prices.ts';
import { type Month, usageOf } from './usage.ts';

/** A line of the bill. */
export interface BillLine extends Price {
  name: PriceName;
  quantity: number;
  /** What the quantity costs, in US dollars. */
  cost: number;
}

/** What AWS bills for a month, in US dollars, without taxes and free tiers. */
export interface Bill {
  lines: BillLine[];
  total: number;
  /** The total for each million of requests; undefined without requests. */
  perMillion: number | undefined;
}

/** The bill of a month. Lines of which nothing is used are in it too. */
export function billOf(month: Month, measurements: Measurements): Bill {
  const usage = usageOf(month, measurements);
  const lines = priceNames.map((name) => lineOf(name, usage[name]));
  const total = dollars(lines.reduce((sum, { cost }) => sum + cost, 0));
  const requests = usage.httpApiRequests;
  return {
    lines,
    total,
    perMillion: requests === 0 ? undefined : dollars((total / requests) * 1e6),
  };
}

function lineOf(name: PriceName, quantity: number): BillLine {
  const price = prices[name];
  return { name, ...price, quantity, cost: dollars((quantity / price.per) * price.usd) };
}

/** US dollars, to a millionth: further digits are those of binary fractions. */
export const dollars = (usd: number) => Number(usd.toFixed(6));
