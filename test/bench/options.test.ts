import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

describe('the options of npm run bench', () => {
  it('measures everything in nine rounds by default', () => {
    const only = ['cold', 'warm', 'memory', 'size', 'log', 'growth'];
    expect(readOptions([])).toEqual({ rounds: 9, only });
  });

  it('measures what it is told to, as often as it is told', () => {
    const told = ['--only', 'cold,size', '--rounds', '3'];
    expect(readOptions(told)).toMatchObject({ only: ['cold', 'size'], rounds: 3 });
  });

  it.each([
    [['--rounds', '0'], /--rounds must be a whole number/],
    [['--rounds', 'many'], /--rounds must be a whole number/],
    [['--only', 'hot'], /--only takes cold, .*; not "hot"/],
    [['--onyl', 'cold'], /Unknown option '--onyl'/],
    [['cold'], /Unexpected argument 'cold'/],
  ])('rejects %s, and says why', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
