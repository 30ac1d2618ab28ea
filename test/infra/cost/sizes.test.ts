import { describe, expect, it } from 'vitest';
import { atSize, weighted } from '../../../infra/cost/sizes.ts';
import { assumptions, measurements } from '../../support/month.ts';

describe('what a memory size means', () => {
  it('is the durations and the price of Lambda for each function', () => {
    const { memoryMb, functions, memoryHeld } = atSize(1769, measurements, assumptions);
    expect([memoryMb, memoryHeld]).toEqual([1769, 128 / 1769]);
    expect(functions['get-application']).toEqual({
      warmCallMs: 10,
      initMs: 100,
      firstCallMs: 17,
      coldStartMs: 117,
      // A million requests, and 17,275.390625 GB-s.
      lambdaPerMillion: 0.43034,
    });
    expect(functions['update-job-status']).toEqual(functions['get-application']);
  });

  it('leaves environments that are kept ready aside, as they start nothing', () => {
    const kept = atSize(1769, measurements, { ...assumptions, provisioned: 5 });
    expect(kept).toEqual(atSize(1769, measurements, assumptions));
  });
});

describe('the mean over both functions', () => {
  const value = (name: string) => (name === 'get-application' ? 1 : 5);

  it('has the weight of their requests', () => {
    expect(weighted({ 'get-application': 3, 'update-job-status': 1 }, value)).toBe(2);
    expect(weighted({ 'get-application': 0, 'update-job-status': 7 }, value)).toBe(5);
  });

  it('has equal weights where there are no requests', () => {
    expect(weighted({ 'get-application': 0, 'update-job-status': 0 }, value)).toBe(3);
  });
});
