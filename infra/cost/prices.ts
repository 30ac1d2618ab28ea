import table from './prices.json' with { type: 'json' };

/** What AWS takes for one line of the bill. */
export interface Price {
  /** The line of the bill. */
  line: string;
  /** US dollars for `per` units. */
  usd: number;
  per: number;
  unit: string;
  /** AWS's page that has it. */
  source: string;
  /** Against what it was held: see the file's note. */
  checked: string;
}

export type PriceName = keyof typeof table.prices;

/** The dated table of list prices, by what they are for. */
export const prices: Readonly<Record<PriceName, Price>> = table.prices;

/** The names of the prices, which are the lines of the bill in their order. */
export const priceNames: readonly PriceName[] = Object.keys(prices).filter(isName);

/** The region that the prices are of, and the day on which they were looked up. */
export const { region: priceRegion, date: priceDate } = table;

function isName(name: string): name is PriceName {
  return Object.hasOwn(prices, name);
}
