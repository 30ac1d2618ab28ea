import { describe, expect, it } from 'vitest';
import { NOT_JSON, parseLine } from '../../../../infra/data/import/parse-line.ts';
import { scaled } from '../../../security/random-cases.ts';
import { applicationLine } from '../../../support/records.ts';

describe('a line', () => {
  it.each(['{"type":"job"', '{"type":"job"} {}', '[]', 'null', '"job"'])(
    'that is %s is refused as not JSON',
    (text) => {
      expect(parseLine(Buffer.from(text))).toEqual({ reason: NOT_JSON });
    },
  );

  it.each(['{}', '{"type":"toString"}', '{"type":["job"]}'])('that is %s is refused', (text) => {
    const reason = '/type must be one of job, application, removal, erasure';
    expect(parseLine(Buffer.from(text))).toEqual({ reason });
  });

  it('is refused for a member called __proto__', () => {
    const line = Buffer.from('{"type":"job","id":"1","status":"draft","__proto__":{"id":"2"}}');
    expect(parseLine(line)).toEqual({ reason: '/__proto__ is not a known member' });
  });

  it('that is not UTF-8, or was decoded wrongly before, is refused', () => {
    const line = applicationLine('c-1', { name: 'Jos\u00e9' });
    expect(parseLine(Buffer.from(line, 'latin1'))).toEqual({ reason: NOT_JSON });
    const decoded = Buffer.from(line, 'latin1').toString();
    expect(parseLine(Buffer.from(decoded))).toEqual({
      reason: expect.stringContaining('encoding'),
    });
  });

  it.each([
    ['a member', ',"city":"Recife","city":"Olinda"'],
    ['a member with its name escaped', ',"city":"Recife","c\\u0069ty":"Olinda"'],
    ['null and a value', ',"city":null,"city" : "Olinda"'],
    ['a member of an entry', ',"education":[{"degree":"BSc","degree":"MSc"}]'],
  ])('that has %s twice is refused', (_, members) => {
    const line = applicationLine('c-1').replace(/}$/, `${members}}`);
    const reason = expect.stringContaining('has a member twice');
    expect(parseLine(Buffer.from(line))).toEqual({ reason });
  });

  it('may have the same names in several objects, and anything in its texts', () => {
    const education = [{ degree: 'BSc' }, { degree: 'MSc' }];
    const summary = '{"city":"x"} \\" : \\\\": "name" : \n';
    const line = applicationLine('c-1', { city: 'Recife', education, summary });
    expect(parseLine(Buffer.from(line))).toMatchObject({ item: { summary, education } });
  });

  it('with many invalid entries has at most five reasons', () => {
    const lineOf = (length: number) =>
      Buffer.from(
        applicationLine('c-1', {
          evaluations: Array.from({ length }, () => ({ id: 1, score: '' })),
        }),
      );
    const count = scaled(100_000);
    const reason = (at: number, member: string) =>
      `/evaluations/${at}/${member} must be ${member === 'id' ? 'string' : 'number'} or null`;
    const first = [0, 1].flatMap((at) => ['id', 'score'].map((member) => reason(at, member)));
    const tooMany = '/evaluations must NOT have more than 500 items';
    const more = [tooMany, ...first, `and ${2 * count - 4} more`].join('; ');
    expect(parseLine(lineOf(count))).toEqual({ reason: more });
    expect(parseLine(lineOf(250_000))).toHaveProperty('reason', expect.stringMatching(/larger/));
    const depth = scaled(2_000_000);
    const nested = `{"type":"job","id":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(parseLine(Buffer.from(nested))).toHaveProperty('reason');
  });
});
