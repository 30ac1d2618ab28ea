/** The values of a metric for our functions and for one other implementation, measured in the same rounds. */
export interface Row {
  metric: string;
  operation: string;
  unit: string;
  /** One measurement for each round. */
  ours: readonly number[];
  other: { label: string; values: readonly number[] };
}

/** Returns a row as a line of text, with medians. Brackets contain the minimum and the maximum. */
export function lineOf(row: Row): string {
  const { metric, operation, unit, ours, other } = row;
  const [own, its, ratio] = [ours, other.values, ratiosOf(row)].map((values) => {
    const { least, median, greatest } = spreadOf(values);
    return `${digits(median)} (${digits(least)}–${digits(greatest)})`;
  });
  return `${metric}, ${operation}: ${own} ${unit}; ${other.label}: ${its} ${unit}; ratio ${ratio}`;
}

const ratiosOf = ({ ours, other }: Row) =>
  ours.map((value, round) => value / (other.values[round] ?? Number.NaN));

function spreadOf(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { least: at(0), median, greatest: at(sorted.length - 1) };
}

/** Returns a number with three significant digits. */
const digits = (value: number) => String(Number(value.toPrecision(3)));

const COLOURS = ['#1d4ed8', '#c2410c'];
/** Returns the position of a ratio on the axis, which ends at 1.5. */
const x = (ratio: number) => 200 + 320 * Math.min(ratio, 1.5);

/** Draws the ratios as SVG. Each median is a dot on a line from the minimum to the maximum. */
export function pictureOf(rows: readonly Row[]): string {
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  const text = (at: number, y: number, content: string, more = '') =>
    `<text x="${at}" y="${y}" ${more}>${content}</text>`;
  const parts = operations.map((name, each) =>
    text(200 + 140 * each, 24, name, `fill="${COLOURS[each]}"`),
  );
  let y = 30;
  for (const [metric, ofMetric] of Map.groupBy(rows, (row) => row.metric)) {
    y += 28;
    parts.push(text(12, y, metric, 'font-weight="600"'));
    for (const [label, pair] of Map.groupBy(ofMetric, ({ other }) => other.label)) {
      y += 18;
      parts.push(text(24, y, label));
      for (const [each, row] of pair.entries()) {
        const { least, median, greatest } = spreadOf(ratiosOf(row));
        const at = y - 7 + 5 * each;
        parts.push(
          `<path d="M${x(least)} ${at}H${x(greatest)}" stroke="${COLOURS[each]}"/>`,
          `<circle cx="${x(median)}" cy="${at}" r="3.5" fill="${COLOURS[each]}"/>`,
          text(700 + 40 * each, y, median.toFixed(2), `fill="${COLOURS[each]}"`),
        );
      }
    }
  }
  const axis = [0, 0.5, 1, 1.5].map((ratio) => {
    const line = `<path d="M${x(ratio)} 40V${y + 8}" stroke="${ratio === 1 ? '#555' : '#ddd'}"/>`;
    return line + text(x(ratio), y + 24, String(ratio), 'text-anchor="middle"');
  });
  const attributes = 'font-family="system-ui, sans-serif" font-size="13" fill="#222"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 ${y + 36}" ${attributes}>
<title>Ratios, ours to four references</title><rect width="100%" height="100%" fill="#fff"/>
${[...axis, ...parts].join('\n')}
</svg>
`;
}
