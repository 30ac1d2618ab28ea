import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../../infra/cost/assumptions.ts';
import { measurements as committed } from '../../../infra/cost/measurements.ts';
import { checkSize, chooseMemorySize } from '../../../infra/cost/memory-rule.ts';
import { memorySizeMb } from '../../../infra/cost/memory-size.ts';
import { assumptions, measured, measurements } from '../../support/month.ts';

const waitless = { ...assumptions, databaseMs: 0 };

/** The measurements of the tests, of which one function's differ so. */
const withUpdate = (update: Partial<typeof measured>) => ({
  ...measurements,
  functions: {
    'get-application': { ...measured, peakMemoryMb: 60, firstCallCpuMs: 0.1 },
    'update-job-status': { ...measured, peakMemoryMb: 60, firstCallCpuMs: 0.1, ...update },
  },
});

describe('the memory size', () => {
  it('that the stack takes is the one that the rule finds for what was measured', () => {
    expect(memorySizeMb).toBe(chooseMemorySize(committed, defaultAssumptions));
  });

  it('is the smallest of those that fit', () => {
    expect(chooseMemorySize(withUpdate({}), waitless)).toBe(128);
  });

  it('leaves half of the memory free, for the function that holds more', () => {
    expect(chooseMemorySize(withUpdate({ peakMemoryMb: 128 }), waitless)).toBe(256);
    expect(chooseMemorySize(withUpdate({ peakMemoryMb: 129 }), waitless)).toBe(512);
  });

  it('lets a cold start take 15 % longer than with a whole processor, and no more', () => {
    // Init is 100 ms; at 1,024 MB a first call of f ms takes f × 1,769 / 1,024.
    const held = (firstCallCpuMs: number) =>
      checkSize(1024, withUpdate({ firstCallCpuMs }), waitless);
    // (100 + 25 × 1.7275) / 125 = 1.1455, (100 + 27 × 1.7275) / 127 = 1.1547.
    expect(held(25)).toMatchObject({ fits: true });
    expect(held(27)).toMatchObject({ fits: false });
    expect(held(25).overFullProcessor).toBeCloseTo(0.1455, 4);
  });

  it('has nothing to gain above a whole processor', () => {
    expect(checkSize(3008, measurements, waitless).overFullProcessor).toBe(0);
    expect(chooseMemorySize(withUpdate({ firstCallCpuMs: 1000 }), waitless)).toBe(1769);
  });

  it('is not to be had where a function holds too much', () => {
    expect(() => chooseMemorySize(withUpdate({ peakMemoryMb: 1505 }), waitless)).toThrow(
      'No memory size fits the measurements',
    );
  });
});
