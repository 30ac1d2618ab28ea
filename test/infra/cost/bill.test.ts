import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MONTH_SECONDS } from '../../../infra/cost/assumptions.ts';
import { billOf } from '../../../infra/cost/bill.ts';
import { priceNames } from '../../../infra/cost/prices.ts';
import { stageNames } from '../../../infra/stages.ts';
import { lineOf, measurements, monthOf, totalOf } from '../../support/month.ts';
import { templateOf } from '../../support/stack.ts';

const GB = 2 ** 30;
const million = monthOf(1_000_000, 0);

describe('the bill of a month', () => {
  it.each([
    ['lambdaRequests', 3_000_000, 0.6],
    ['httpApiRequests', 3_000_000, 3],
    // Half a unit for a read, two for a write, as the measurements of these tests say.
    ['dynamodbReadUnits', 1_000_000, 0.125],
    ['dynamodbWriteUnits', 2_000_000, 1.25],
    ['pipeRequests', 1_000_000, 0.4],
    ['events', 1_000_000, 1],
  ] as const)('counts %s of two million reads and a million writes', (name, quantity, cost) => {
    expect(lineOf(monthOf(2_000_000, 1_000_000), name)).toEqual({ quantity, cost });
  });

  it('has ten billed milliseconds of 1,769 MB for each warm call', () => {
    const { quantity, cost } = lineOf(million, 'lambdaDuration');
    expect(quantity).toBeCloseTo(17_275.390625, 6);
    // 17,275.390625 GB-s of 0.0000133334 dollars.
    expect(cost).toBe(0.23034);
  });

  it('has a whole start for each cold one: 100 ms of init and a first call of 17 ms', () => {
    const { quantity } = lineOf(monthOf(1000, 0, { coldShare: 1 }), 'lambdaDuration');
    expect(quantity).toBeCloseTo((117 * 1769) / 1024, 9);
  });

  it('has the environments that are kept ready, a cheaper duration, and no cold start', () => {
    const month = monthOf(1_000_000, 0, { provisioned: 3, coldShare: 0.5 });
    expect(lineOf(month, 'lambdaDuration').quantity).toBe(0);
    // 17,275.390625 GB-s of 0.0000077778 dollars.
    expect(lineOf(month, 'lambdaProvisionedDuration').cost).toBe(0.134365);
    const kept = lineOf(month, 'lambdaProvisionedConcurrency');
    expect(kept.quantity).toBeCloseTo(2 * 3 * 2_628_000 * (1769 / 1024), 3);
    // 27,239,835.9375 GB-s of 0.0000033334 dollars.
    expect(kept.cost).toBe(90.801269);
  });

  it('has storage and recovery of what the table holds', () => {
    expect(lineOf(monthOf(0, 0), 'dynamodbStorage')).toEqual({ quantity: 10, cost: 2.5 });
    expect(lineOf(monthOf(0, 0), 'dynamodbRecovery')).toEqual({ quantity: 10, cost: 2 });
  });

  it('has four reads a second of each shard of the stream', () => {
    const reads = { quantity: 10_512_000, cost: 2.1024 };
    expect(lineOf(monthOf(0, 0), 'dynamodbStreamReads')).toEqual(reads);
    const two = lineOf(monthOf(0, 0, { streamShards: 2 }), 'dynamodbStreamReads');
    expect(two).toEqual({ quantity: 21_024_000, cost: 4.2048 });
  });

  it('has two log lines for each request, with 26 bytes that CloudWatch adds to each', () => {
    // 400 + 300 + 2 × 26 bytes.
    const { quantity, cost } = lineOf(monthOf(GB, 0), 'logIngestion');
    expect([quantity, cost]).toEqual([752, 376]);
  });

  it('stores 15 % of the logs for as long as they are kept', () => {
    // 365 days are twelve months: 752 GB × 15 % × 12 × 0.03 dollars.
    const { quantity, cost } = lineOf(monthOf(GB, 0), 'logStorage');
    expect(quantity).toBeCloseTo(1353.6, 9);
    expect(cost).toBe(40.608);
  });

  it('traces the first request of each second, and 5 % of the others, of each function', () => {
    expect(lineOf(million, 'traces')).toEqual({ quantity: 1_000_000, cost: 5 });
    const busy = monthOf(MONTH_SECONDS + 1_000_000, MONTH_SECONDS);
    const { quantity, cost } = lineOf(busy, 'traces');
    expect([quantity, cost]).toEqual([2 * 2_628_000 + 50_000, 26.53]);
  });

  it('has one key, and a request for it in five minutes for each function in use', () => {
    expect(lineOf(million, 'kmsKeys')).toEqual({ quantity: 1, cost: 1 });
    expect(lineOf(million, 'kmsRequests')).toEqual({ quantity: 8760, cost: 0.02628 });
    expect(lineOf(monthOf(1_000_000, 20_000), 'kmsRequests').quantity).toBe(17_520);
    expect(lineOf(monthOf(7, 0), 'kmsRequests').quantity).toBe(7);
  });

  it('has the metrics that alarms look at, a dashboard and a secret, whoever asks', () => {
    const templates = stageNames.map((stage) => templateOf({ stage }));
    for (const template of templates) {
      const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
      const metrics = alarms.flatMap(({ Properties: { Metrics: named = [{ MetricStat: {} }] } }) =>
        named.filter((metric: object) => 'MetricStat' in metric),
      );
      expect(lineOf(monthOf(0, 0), 'alarmMetrics').quantity).toBe(metrics.length);
      template.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
      template.resourceCountIs('AWS::SecretsManager::Secret', 1);
    }
    expect(lineOf(monthOf(0, 0), 'dashboards').cost).toBe(3);
    expect(lineOf(monthOf(0, 0), 'secrets').cost).toBe(0.4);
  });

  it('has at most 34 metrics of its own as soon as somebody asks', () => {
    expect(lineOf(monthOf(0, 0), 'customMetrics').quantity).toBe(0);
    expect(lineOf(monthOf(1, 0), 'customMetrics')).toEqual({ quantity: 34, cost: 10.2 });
  });

  it('has the answers, as data that leaves AWS', () => {
    // A KB for each read and half a KB for each write.
    const month = monthOf(2 ** 20, 2 ** 21);
    expect(lineOf(month, 'dataOut')).toEqual({ quantity: 2, cost: 0.18 });
  });

  it('adds up its lines, and says what a million requests cost', () => {
    const { lines, total, perMillion } = billOf(monthOf(400_000, 100_000), measurements);
    expect(lines.map(({ name }) => name)).toEqual(priceNames);
    expect(total).toBeCloseTo(
      lines.reduce((sum, { cost }) => sum + cost, 0),
      9,
    );
    expect(perMillion).toBeCloseTo(2 * total, 5);
  });

  it('has fixed costs alone where nobody asks', () => {
    const { total, perMillion } = billOf(monthOf(0, 0), measurements);
    // The table, the stream and the key; a dashboard, alarms and a secret.
    expect(total).toBe(7.6024 + 3 + 2.6 + 0.4);
    expect(perMillion).toBeUndefined();
  });
});

describe('a bill', () => {
  const requests = fc.integer({ min: 0, max: 1e9 });
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('never shrinks with more reads or writes', () => {
    fc.assert(
      fc.property(requests, requests, requests, (reads, writes, more) => {
        const total = totalOf(monthOf(reads, writes));
        expect(totalOf(monthOf(reads + more, writes))).toBeGreaterThanOrEqual(total);
        expect(totalOf(monthOf(reads, writes + more))).toBeGreaterThanOrEqual(total);
      }),
    );
  });

  it('never shrinks with more cold starts or a slower database', () => {
    fc.assert(
      fc.property(share, share, fc.integer({ min: 0, max: 100 }), (one, other, slower) => {
        const [rare, often] = [Math.min(one, other), Math.max(one, other)];
        const at = (coldShare: number, databaseMs: number) =>
          totalOf(monthOf(1_000_000, 1_000_000, { coldShare, databaseMs }));
        expect(at(often, 9)).toBeGreaterThanOrEqual(at(rare, 9));
        expect(at(rare, 9 + slower)).toBeGreaterThanOrEqual(at(rare, 9));
      }),
    );
  });
});
