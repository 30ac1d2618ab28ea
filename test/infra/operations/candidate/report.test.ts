import { describe, expect, it } from 'vitest';
import { endOf, foundText } from '../../../../infra/operations/candidate/report.ts';
import { jobs } from '../../../support/candidates.ts';

describe('what an operator is told before an erasure', () => {
  it.each([
    [[], 'No application was found. Check the tenant and the id.'],
    [['a"b'], 'Found: 1 application, to "a\\"b".'],
    [jobs(2), 'Found: 2 applications, to "j-0", "j-1".'],
  ])('%j', (found, said) => {
    expect(foundText(found)).toBe(said);
  });

  it('names twenty jobs at most, and counts all', () => {
    const said = foundText(jobs(1000));
    expect(said).toMatch(/^Found: 1000 applications, to "j-0", .*, "j-19" and 980 more\.$/);
    expect(foundText(jobs(20))).toMatch(/"j-19"\.$/);
  });
});

describe('what an operator is told after an erasure', () => {
  it('counts what is erased, one way or the other', () => {
    const end = '1 applications removed, 0 anonymised, nothing left';
    expect(endOf({ removed: 1, anonymised: 0 })).toBe(end);
    expect(endOf({ removed: 0, anonymised: 1 })).toContain('0 applications removed, 1 anonymised');
  });

  it('does not call it finished where there was nothing', () => {
    expect(endOf({ removed: 0, anonymised: 0 })).toMatch(/^no application was found\. Check/);
  });
});
