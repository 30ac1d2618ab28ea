import { describe, expect, it } from 'vitest';
import { parts, readOptions } from './options.ts';

describe('the flags of npm run bench', () => {
  it('measures everything, 15 times, unless told otherwise', () => {
    expect(readOptions([])).toMatchObject({ only: parts, rounds: 15, json: false, strict: false });
    const told = ['--only', 'cold,size', '--rounds', '3', '--json', '--strict'];
    expect(readOptions(told)).toMatchObject({
      only: ['cold', 'size'],
      rounds: 3,
      json: true,
      strict: true,
    });
  });

  it.each([
    [['--rounds', '0'], /--rounds must be a whole number/],
    [['--rounds', 'many'], /--rounds must be a whole number/],
    [['--only', 'hot'], /--only takes cold, .*; not "hot"/],
    [['--onyl', 'cold'], /Unknown option '--onyl'/],
    [['cold'], /Unexpected argument 'cold'/],
  ])('says what is wrong with %s', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
