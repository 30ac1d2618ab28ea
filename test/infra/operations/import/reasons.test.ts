import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../../../../infra/operations/import/records.ts';
import { fullApplication } from '../../../support/items.ts';
import { applicationRecord, jobRecord } from '../../../support/records.ts';

type Members = Readonly<Record<string, unknown>>;
const read = (record: unknown) => readRecord(Buffer.from(JSON.stringify(record)));
const job = (members: Members) => read(jobRecord(members));
const application = (members: Members) => read(applicationRecord(members));

describe('the reason of a refusal', () => {
  const canary = 'canary@example.com';
  const bad = (value: string) => [
    `{"type":"application","email":"${value}"`,
    JSON.stringify(value),
    JSON.stringify({ type: value }),
    JSON.stringify({ type: 'job', id: '1', status: value, tenant: { [value]: value } }),
  ];

  it.each([
    ...Object.keys(fullApplication),
    ...['tenant', 'job_id', 'expires_at', 'education/0', 'evaluations/0'],
  ])('never shows a value if %s is invalid', (path) => {
    const [name = '', entry] = path.split('/');
    for (const value of [{ value: canary }, [canary], [[canary]], `${canary}\u0000\ud800`]) {
      const answer = application({ [name]: entry === undefined ? value : [value] });
      expect(answer).toHaveProperty('reason', expect.stringContaining(`/${name}`));
      const entryNames = JSON.stringify(answer).replaceAll('/value is not a known member', '');
      expect(entryNames).not.toContain('canary');
    }
  });

  it('never shows a value of a line that is not a record', () => {
    for (const line of bad(canary)) {
      const answer = readRecord(Buffer.from(line));
      expect(answer).toHaveProperty('reason');
      expect(JSON.stringify(answer)).not.toContain('canary');
    }
  });

  it('names five members at most, each once', () => {
    expect(read({ type: 'application', score: '1', score2: 1 })).toEqual({
      reason:
        '/job_id is required; /user_id is required; /name is required; /email is required; ' +
        '/stage_id is required; and 4 more',
    });
  });

  it('names the first member alone of a line that is long', () => {
    const summary = 'x'.repeat(64 * 1024);
    expect(application({ a: 1, b: 1, summary })).toEqual({ reason: '/a is not a known member' });
    expect(application({ a: 1, b: 1 })).toHaveProperty('reason', expect.stringContaining('/b is'));
  });

  it('writes a name as a JSON Pointer that is safe in a terminal, and cuts a long one', () => {
    expect(job({ 'a/b~c': 1 })).toEqual({ reason: '/a~1b~0c is not a known member' });
    expect(job({ '\u001b[2J\u202ex y': 1 })).toEqual({
      reason: '/%1B[2J%E2%80%AEx%20y is not a known member',
    });
    expect(job({ ['x'.repeat(1000)]: 1 })).toEqual({
      reason: `/${'x'.repeat(64)}… is not a known member`,
    });
  });

  it('is found for any JSON, or an item is', () => {
    const members = fc.record(
      { type: fc.constantFrom('job', 'application'), status: fc.json(), score: fc.double() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), members), (value) => {
        const answer = read(value);
        expect(answer && ('item' in answer || answer.reason.length > 0)).toBe(true);
      }),
    );
  });
});
