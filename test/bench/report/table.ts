import type { Summary } from '../statistics.ts';
import { holds, type Row } from './row.ts';

const HEADINGS = ['', 'ours', 'compared with', 'ratio', 'at most', ''];

/** The lines as a table of text: medians, and in brackets the quartiles. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function cellsOf(row: Row): string[] {
  const { what, unit, measured, against, value, spread, target } = row;
  return [
    what,
    `${written(measured)} ${unit}`,
    against === undefined ? '' : `${against.name} ${written(against.measured)} ${unit}`,
    spread === undefined ? '' : written({ ...spread, median: value }),
    target === undefined ? '' : String(target),
    verdict(row),
  ];
}

function verdict(row: Row): string {
  const holding = holds(row);
  return holding === undefined ? '' : holding ? 'holds' : 'missed';
}

const written = ({ median, lowerQuartile, upperQuartile }: Summary) =>
  lowerQuartile === upperQuartile
    ? digits(median)
    : `${digits(median)} (${digits(lowerQuartile)}–${digits(upperQuartile)})`;

/** Three digits that matter. */
function digits(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return Number.isInteger(value) ? String(value) : value.toFixed(decimals);
}
