import { describe, expect, it } from 'vitest';
import { readRecord } from '../../../../infra/operations/import/records.ts';
import { itemBytes } from '../../../../infra/operations/import/storable.ts';
import { fullApplication } from '../../../support/items.ts';
import { applicationLine, applicationRecord } from '../../../support/records.ts';

type Members = Readonly<Record<string, unknown>>;
const read = (record: unknown) => readRecord(Buffer.from(JSON.stringify(record)));
const application = (members: Members) => read(applicationRecord(members));
const [evaluation] = fullApplication.evaluations;

describe('the bytes of an item', () => {
  it('are those of names and text, and the overhead of lists, maps and their entries', () => {
    expect(itemBytes({ é: 'é', b: true })).toBe(2 + 2 + 1 + 1);
    expect(itemBytes({ list: [], map: {} })).toBe(4 + 3 + 3 + 3);
    const map = 3 + (1 + 1 + 1);
    expect(itemBytes({ list: [{ b: 'x' }, 'y'] })).toBe(4 + 3 + (1 + map) + (1 + 1));
  });

  it('count each number as the longest one', () => {
    expect(itemBytes({ n: 1 })).toBe(1 + 21);
  });
});

describe('what DynamoDB cannot store', () => {
  const score = (number: string) => {
    const line = applicationLine('c-1').replace(/}$/, `,"score":${number}}`);
    return readRecord(Buffer.from(line));
  };

  it.each(['9007199254740991', '-9007199254740991', '1e-130', '-1e-130', '0', '0.1'])(
    'is not the number %s',
    (number) => {
      expect(score(number)).toHaveProperty('item.score', Number(number));
    },
  );

  it.each(['9007199254740992', '-9007199254740992', '1e300', '9e-131', '-5e-324'])(
    'is refused: the number %s',
    (number) => {
      expect(score(number)).toEqual({
        reason:
          '/score must be 0, or from 1e-130 to 9007199254740991, or the negative of such a number',
      });
    },
  );

  it('is refused: a number that no computer holds', () => {
    expect(score('1e400')).toEqual({ reason: '/score must be number or null' });
  });

  it('is refused: text with an unpaired surrogate, at any depth', () => {
    expect(application({ name: 'a\ud800' })).toHaveProperty('reason');
    expect(application({ evaluations: [{ ...evaluation, comment: '\udc00' }] })).toEqual({
      reason: expect.stringMatching(/^\/evaluations\/0\/comment must be /),
    });
  });

  it('is refused: an item of more than 400 KB', () => {
    expect(application({ summary: 'é'.repeat(204_000) })).toHaveProperty('item');
    expect(application({ summary: 'é'.repeat(204_800) })).toEqual({
      reason: expect.stringContaining('409600 bytes'),
    });
  });
});
