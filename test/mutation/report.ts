import type { Equivalent } from './equivalent.ts';

/** Of a report in Stryker's format (mutation-testing-report-schema), what is read here. */
export interface Report {
  files: Readonly<Record<string, { source: string; mutants: readonly ReportedMutant[] }>>;
}

interface ReportedMutant {
  status: string;
  replacement?: string;
  location: { start: Position; end: Position };
}

/** Both count from 1. */
interface Position {
  line: number;
  column: number;
}

export interface Mutant {
  file: string;
  lineNumber: number;
  status: string;
  /** The line where the changed text begins: without types, and with no more than single spaces. */
  line: string;
  /** The text that is changed, likewise. */
  code: string;
  replacement: string;
}

/** What a mutant can come to; others, such as one that does not load, prove nothing. */
const RESULTS = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

/** The mutants that came to a result, with the text that each changes. */
export function mutantsOf({ files }: Report): Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => RESULTS.includes(status))
      .map(({ status, replacement = '', location: { start, end } }) => ({
        file,
        lineNumber: start.line,
        status,
        line: singleSpaced(lines[start.line - 1] ?? ''),
        code: singleSpaced(textBetween(lines, start, end)),
        replacement: singleSpaced(replacement),
      }));
  });
}

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const within = lines.slice(start.line - 1, end.line);
  const last = within.length - 1;
  return within
    .map((line, index) => (index === last ? line.slice(0, end.column - 1) : line))
    .map((line, index) => (index === 0 ? line.slice(start.column - 1) : line))
    .join('\n');
}

const singleSpaced = (text: string) => text.trim().replace(/\s+/g, ' ');

export const isFound = ({ status }: Mutant) => status === 'Killed' || status === 'Timeout';

/** Whether it is this mutant that an argument is about. */
export const isAbout = (argued: Equivalent, mutant: Mutant) =>
  argued.file === mutant.file &&
  argued.line === mutant.line &&
  argued.code === mutant.code &&
  argued.replacement === mutant.replacement;
