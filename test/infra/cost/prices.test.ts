import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../../infra/cost/assumptions.ts';
import { billOf } from '../../../infra/cost/bill.ts';
import table from '../../../infra/cost/prices.json' with { type: 'json' };
import { priceNames, prices } from '../../../infra/cost/prices.ts';
import { usageOf } from '../../../infra/cost/usage.ts';
import { stages } from '../../../infra/stages.ts';
import { measurements, monthOf } from '../../support/month.ts';

describe('the table of prices', () => {
  it('is of a region and a day, and says how it came about', () => {
    expect(table.region).toBe('us-east-1');
    expect(table.date).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
    expect(table.note).toContain('could not be opened');
  });

  it.each(priceNames)('has a price above zero, its source and how it was checked: %s', (name) => {
    const { line, usd, per, unit, source, checked } = prices[name];
    expect(usd).toBeGreaterThan(0);
    expect(per).toBeGreaterThanOrEqual(1);
    expect(line).not.toBe('');
    expect(unit).not.toBe('');
    expect(source).toMatch(/^https:\/\/aws\.amazon\.com\/[a-z0-9-]+\/pricing\//);
    expect(['AWS', 'third parties', 'nothing']).toContain(checked);
  });

  it('has exactly the lines of the bill', () => {
    const month = monthOf(1, 1);
    expect(Object.keys(usageOf(month, measurements)).toSorted()).toEqual(priceNames.toSorted());
    expect(billOf(month, measurements).lines).toHaveLength(Object.keys(table.prices).length);
  });
});

describe('the default assumptions', () => {
  it('keep logs for as long as the stage prod does', () => {
    expect(stages.prod.logRetention).toBe(RetentionDays.SIX_MONTHS);
    expect(defaultAssumptions.retentionDays).toBe(Number(stages.prod.logRetention));
  });
});
