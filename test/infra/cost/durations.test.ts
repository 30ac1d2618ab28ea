import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { billedMs, durationsOf, gbSeconds, processorShare } from '../../../infra/cost/durations.ts';
import { measured, noWaits } from '../../support/month.ts';

const memory = fc.integer({ min: 128, max: 10_240 });

describe('the durations of a function', () => {
  it('grow as the processor share shrinks, from 1,769 MB down', () => {
    const { warmCallMs, firstCallMs } = durationsOf(measured, 176.9, noWaits);
    expect([warmCallMs, firstCallMs]).toEqual([10, 80]);
  });

  it('are no shorter with more than a whole processor', () => {
    expect(processorShare(1769)).toBe(1);
    expect(durationsOf(measured, 3538, noWaits)).toEqual(durationsOf(measured, 1769, noWaits));
  });

  it('of init is that of a whole processor at any memory size', () => {
    expect(durationsOf(measured, 128, noWaits).initMs).toBe(100);
    expect(durationsOf(measured, 1769, noWaits).initMs).toBe(100);
  });

  it('hold one answer of DynamoDB in a call, and the keys in init', () => {
    expect(durationsOf(measured, 1769, { databaseMs: 5, keysMs: 50, cpuFactor: 1 })).toEqual({
      warmCallMs: 6,
      initMs: 150,
      firstCallMs: 13,
      coldStartMs: 163,
    });
  });

  it('take the processor factor for work, and not for waiting', () => {
    expect(durationsOf(measured, 1769, { databaseMs: 5, keysMs: 50, cpuFactor: 2 })).toEqual({
      warmCallMs: 7,
      initMs: 250,
      firstCallMs: 21,
      coldStartMs: 271,
    });
  });

  it('never grow with memory', () => {
    const pairs = fc.tuple(memory, memory);
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const [small, large] = [Math.min(one, other), Math.max(one, other)];
        const slow = durationsOf(measured, small, noWaits);
        const fast = durationsOf(measured, large, noWaits);
        expect(fast.warmCallMs).toBeLessThanOrEqual(slow.warmCallMs);
        expect(fast.coldStartMs).toBeLessThanOrEqual(slow.coldStartMs);
      }),
    );
  });
});

describe('what Lambda bills of them', () => {
  const durations = { warmCallMs: 6.1, initMs: 100.3, firstCallMs: 20.3, coldStartMs: 120.6 };

  it('is whole milliseconds for each request, init and first call as one', () => {
    expect(billedMs(durations, 0)).toBe(7);
    expect(billedMs(durations, 1)).toBe(121);
    expect(billedMs(durations, 0.5)).toBe(64);
  });

  it('does not round up what only binary fractions add', () => {
    expect(billedMs({ ...durations, warmCallMs: 0.1 * 3 * 10 }, 0)).toBe(3);
  });

  it('is GB-seconds, of which a GB has 1,024 MB', () => {
    expect(gbSeconds(1000, 1024)).toBe(1);
    expect(gbSeconds(500, 512)).toBe(0.25);
  });
});
