import { describe, expect, it } from 'vitest';
import { entityTag } from '../../../functions/contract/headers.ts';
import { LAST_COUNT } from '../../../functions/domain/job.ts';
import { versionsOf } from '../../../functions/http/if-match.ts';

const tags = (count: number) => Array.from({ length: count }, (_, index) => entityTag(index + 1));

describe('an entity tag', () => {
  it('is the version in quotes, and read back as the same', () => {
    for (const version of [0, 1, 42, LAST_COUNT]) {
      expect(versionsOf(entityTag(version))).toEqual([version]);
    }
    expect(entityTag(42)).toBe('"42"');
  });
});

describe('the versions that If-Match allows', () => {
  it.each([[undefined], ['*'], [' * ']])('are all if it is %j', (header) => {
    expect(versionsOf(header)).toBeUndefined();
  });

  it.each([
    ['"3"', [3]],
    ['"3","4"', [3, 4]],
    ['  "3" ,\t"4"  ', [3, 4]],
    ['"3", , "4"', [3, 4]],
    ['W/"3", "4"', [4]],
    ['"abc", "4"', [4]],
  ])('of %j are %j', (header, versions) => {
    expect(versionsOf(header)).toEqual(versions);
  });

  it.each([
    '',
    'W/"3"',
    '"*"',
    '"03"',
    '"+3"',
    '"-3"',
    '"3',
    '"1e3"',
    '"9007199254740992"',
    '"12345678901234567"',
  ])('are none if it is %j, which is no tag of this service', (header) => {
    expect(versionsOf(header)).toEqual([]);
  });

  it('are those of the first fifty tags', () => {
    expect(versionsOf(tags(50).join(','))).toHaveLength(50);
    expect(versionsOf(tags(1000).join(','))).toHaveLength(50);
  });
});
