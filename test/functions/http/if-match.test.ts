import { expect, it } from 'vitest';
import { entityTag } from '../../../functions/contract/headers.ts';
import { MAX_VERSION } from '../../../functions/domain/job.ts';
import { versionsOf } from '../../../functions/http/if-match.ts';

it.each([
  [undefined, undefined],
  [' * ', undefined],
  [entityTag(1), [1]],
  [entityTag(MAX_VERSION), [MAX_VERSION]],
  ['  "3" ,\t"4"  ', [3, 4]],
  [',"3", , W/"4", "abc", "5",', [3, 5]],
  ['"a,", ",3,", "é","5"', [5]],
  // Tags that the service never issues.
  [entityTag(0), []],
  ['', []],
  ['"*"', []],
  ['"03"', []],
  ['"-3"', []],
  ['"1e3"', []],
  ['"9007199254740992"', []],
  ['"12345678901234567"', []],
  ['"3', []],
  ['3"', []],
  ['"a,"5",b"', []],
  ['"3" "4"', []],
  ['"3", 4', []],
  ['"3", w/"4"', []],
  ['"3", *', []],
  ['"3", "a b"', []],
  ['"3",\u00a0"4"', []],
  ['\u00a0*', []],
])('If-Match %j allows the versions %j', (header, versions) => {
  expect(versionsOf(header)).toEqual(versions);
});

it('If-Match allows the versions of its first fifty tags', () => {
  const tags = Array.from({ length: 51 }, (_, index) => entityTag(index + 1));
  expect(versionsOf(tags.slice(0, 50).join())).toHaveLength(50);
  expect(versionsOf(tags.join())).toHaveLength(50);
});
