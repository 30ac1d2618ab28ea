import type { Summary } from '../statistics.ts';
import { holds, type Row } from './row.ts';

const HEADINGS = ['', 'ours', 'compared with', 'result', 'at most', ''];

/** The lines as a table of text: medians, and in brackets the quartiles. */
export function tableOf(rows: readonly Row[]): string {
  return alignedTable([HEADINGS, ...rows.map(cellsOf)]);
}

/** Lines of text whose cells stand in columns. */
export function alignedTable(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]?.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cellsOf(row: Row): string[] {
  const { what, unit, measured, against, comparison, target } = row;
  const holding = holds(row);
  return [
    what,
    `${written(measured)} ${unit}`,
    against === undefined ? '' : `${against.name} ${written(against.measured)} ${unit}`,
    comparison === undefined ? '' : compared(comparison, unit),
    target === undefined ? '' : String(target),
    holding === undefined ? '' : holding ? 'holds' : 'missed',
  ];
}

const compared = ({ kind, result }: NonNullable<Row['comparison']>, unit: string) =>
  kind === 'ratio' ? `×${written(result)}` : `${written(result)} ${unit}`;

const written = ({ median, lowerQuartile, upperQuartile }: Summary) =>
  lowerQuartile === upperQuartile
    ? digits(median)
    : `${digits(median)} (${digits(lowerQuartile)}–${digits(upperQuartile)})`;

/** Three digits that matter, or two decimals. */
export function digits(value: number): string {
  const size = Math.abs(value);
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return Number.isInteger(value) ? String(value) : value.toFixed(decimals);
}
