import type { Equivalent } from './equivalent.ts';
import { isAbout, isFound, type Mutant } from './report.ts';

/** Of all mutants, so many of a hundred must be found. */
const LEAST_SCORE = 95;

export interface Verdict {
  /** For people. */
  summary: string;
  /** What is wrong; empty where all is well. */
  faults: string[];
}

/**
 * What has come of the mutants, which are of the whole program or of some files.
 * @param strict the files of which no mutant may survive, unless it is argued in `equivalents`.
 */
export function verdict(
  mutants: readonly Mutant[],
  strict: readonly string[],
  equivalents: readonly Equivalent[],
): Verdict {
  const argued = mutants.filter((mutant) => equivalents.some((one) => isAbout(one, mutant)));
  const survivors = mutants.filter((mutant) => !isFound(mutant) && !argued.includes(mutant));
  const ofStrict = (mutant: Mutant) => strict.includes(mutant.file);
  const isTested = (file: string) => mutants.some((mutant) => mutant.file === file);
  const line = (name: string, some: readonly Mutant[]) => `${name}: ${counts(some, argued)}`;
  return {
    summary: [
      ...survivors.map((mutant) => described(mutant, 'survived')),
      // By chance, where a test had to wait too long; else the argument is wrong.
      ...argued.filter(isFound).map((mutant) => described(mutant, 'argued, and yet found')),
      ...strict.filter(isTested).map((name) =>
        line(
          name,
          mutants.filter(({ file }) => file === name),
        ),
      ),
      line('Authentication, validation and keys', mutants.filter(ofStrict)),
      line('All', mutants),
    ].join('\n'),
    faults: [
      ...survivors
        .filter(ofStrict)
        .map(({ file, lineNumber }) => `${file}:${lineNumber}: a mutant survived.`),
      ...equivalents.filter(({ file }) => isTested(file)).flatMap((one) => flawOf(one, mutants)),
      ...(mutants.length === 0 ? ['There are no mutants.'] : []),
      ...(score(mutants) < LEAST_SCORE ? [`Under ${LEAST_SCORE} % of the mutants are found.`] : []),
    ],
  };
}

/** An argument must be about one mutant. */
function flawOf(argued: Equivalent, mutants: readonly Mutant[]): string[] {
  const meant = mutants.filter((mutant) => isAbout(argued, mutant));
  const { file, code, replacement } = argued;
  if (meant.length === 1) return [];
  return [
    `${file}: ${code} -> ${replacement}: equivalent.ts argues one mutant; it is ${meant.length}.`,
  ];
}

function counts(mutants: readonly Mutant[], argued: readonly Mutant[]): string {
  const number = (status: string) => mutants.filter((mutant) => mutant.status === status).length;
  const open = mutants.filter((mutant) => !isFound(mutant));
  const net = mutants.filter((mutant) => !argued.includes(mutant));
  return [
    `${percent(score(mutants))} of ${mutants.length} mutants`,
    `${percent(score(net))} without the argued ones`,
    `${number('Killed')} killed`,
    `${number('Timeout')} timed out`,
    `${open.length} survived`,
    `${open.filter((mutant) => argued.includes(mutant)).length} of these argued`,
  ].join(', ');
}

const score = (mutants: readonly Mutant[]) =>
  mutants.length === 0 ? 100 : (100 * mutants.filter(isFound).length) / mutants.length;

/** Rounded down, so that no survivor is rounded away. */
const percent = (value: number) => `${(Math.floor(value * 100) / 100).toFixed(2)} %`;

const described = ({ file, lineNumber, line, code, replacement }: Mutant, what: string) =>
  `${file}:${lineNumber}: ${what}\n  line: ${line}\n  code: ${code}\n  replacement: ${replacement}`;
