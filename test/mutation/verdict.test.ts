import { describe, expect, it } from 'vitest';
import { mutantsOf } from './report.ts';
import { verdict } from './verdict.ts';

const SOURCE = `const a = 1;\n  if (a    && b) {\n    c();\n  }\n`;
const AND = { start: { line: 2, column: 7 }, end: { line: 2, column: 16 } };
const BLOCK = { start: { line: 2, column: 18 }, end: { line: 4, column: 4 } };

const report = (...statuses: string[]) => ({
  files: {
    'functions/a.ts': {
      source: SOURCE,
      mutants: statuses.map((status, index) =>
        index === 0
          ? { status, replacement: 'true', location: AND }
          : { status, replacement: '{}', location: BLOCK },
      ),
    },
  },
});
const strict = ['functions/a.ts', 'functions/b.ts'];
const line = 'if (a && b) {';
const argued = { file: 'functions/a.ts', line, code: 'a && b', replacement: 'true', why: 'So.' };

/** Whether all is well where the first mutant came to this, and how else. */
const faults = (statuses: string[], equivalents = [argued], files = strict) =>
  verdict(mutantsOf(report(...statuses)), files, equivalents).faults;

describe('the verdict on mutants', () => {
  it('knows a mutant by the text that it changes, whatever its line', () => {
    expect(mutantsOf(report('Survived', 'Killed'))).toMatchObject([
      { lineNumber: 2, line, code: 'a && b', replacement: 'true' },
      { lineNumber: 2, line, code: '{ c(); }', replacement: '{}' },
    ]);
  });

  it('counts what was killed, timed out, survived or was not met, and nothing else', () => {
    const statuses = ['Survived', 'Killed', 'Timeout', 'NoCoverage', 'RuntimeError', 'Ignored'];
    const { summary } = verdict(mutantsOf(report(...statuses)), strict, [argued]);
    const counts =
      '50.00 % of 4 mutants, 66.66 % without the argued ones, ' +
      '1 killed, 1 timed out, 2 survived, 1 of these argued';
    expect(summary.split('\n').slice(-3)).toEqual([
      `functions/a.ts: ${counts}`,
      `Authentication, validation and keys: ${counts}`,
      `All: ${counts}`,
    ]);
  });

  it('is good where all are found but those that are argued', () => {
    const killed = Array.from({ length: 19 }, () => 'Killed');
    expect(faults(['Survived', ...killed])).toEqual([]);
  });

  it('is bad where a mutant of the strict files survives unargued', () => {
    const killed = Array.from({ length: 40 }, () => 'Killed');
    const statuses = ['Survived', 'Survived', ...killed];
    expect(faults(statuses)).toEqual(['functions/a.ts:2: a mutant survived.']);
    expect(faults(statuses, [argued], ['functions/b.ts'])).toEqual([]);
  });

  it('is bad where too few are found, argued or not', () => {
    const killed = Array.from({ length: 18 }, () => 'Killed');
    expect(faults(['Survived', ...killed])).toEqual(['Under 95 % of the mutants are found.']);
    expect(faults([], [])).toEqual(['There are no mutants.']);
  });

  it('says which of the argued was found', () => {
    const { summary, faults } = verdict(mutantsOf(report('Killed')), strict, [argued]);
    expect(summary).toMatch('functions/a.ts:2: argued, and yet found');
    expect(faults).toEqual([]);
  });

  it('is bad where an argument is about none or about two', () => {
    const two = faults(
      ['Killed', 'Killed', 'Killed'],
      [{ ...argued, code: '{ c(); }', replacement: '{}' }],
    );
    expect(two).toEqual([expect.stringContaining('argues one mutant; it is 2.')]);
    const none = faults(['Killed'], [{ ...argued, code: 'a || b' }]);
    expect(none).toEqual([expect.stringContaining('argues one mutant; it is 0.')]);
  });

  it('leaves arguments alone whose files were not tested', () => {
    expect(faults(['Killed'], [{ ...argued, file: 'functions/b.ts' }])).toEqual([]);
  });
});
