import type { Contender, MeasuredOperation } from './contenders.ts';
import type { Outcome } from './driver.ts';

/** The most that a ratio of ours to a reference may be, or for `ours` the measurement itself. */
type Targets = Readonly<Partial<Record<Contender, Readonly<Record<MeasuredOperation, number>>>>>;

const each = (read: number, status = read) => ({
  'get-application': read,
  'update-job-status': status,
});
/** Ours costs less. */
const ahead: Targets = { hono: each(1), powertools: each(1) };

/** What is taken from the calls of a handler. docs/performance.md says what each row means. */
export const metrics = {
  'cold start': { unit: 'ms', of: ({ initMs, callsMs }: Outcome) => initMs + callsMs },
  'first call': { unit: 'ms', of: ({ callsMs }: Outcome) => callsMs },
  'warm call': { unit: 'µs', of: ({ callsMs, times }: Outcome) => (callsMs * 1000) / times },
  heap: { unit: 'MB', of: ({ heap }: Outcome) => heap / 1e6 },
  'resident memory': { unit: 'MB', of: ({ resident }: Outcome) => resident / 1e6 },
} as const;

export type Metric = keyof typeof metrics;

export const targets: Readonly<Record<string, Targets>> = {
  'cold start': { sdk: each(0.52), 'sdk-bundled': each(0.9), ...ahead },
  'first call': { sdk: each(0.15, 0.17) },
  'warm call': { sdk: each(0.9, 0.95), ...ahead },
  heap: { sdk: each(0.7) },
  'resident memory': { sdk: each(0.9) },
  'heap growth': { ours: each(1.05) },
  'bundle, zipped': { ours: each(75) },
  log: { ours: each(900) },
};
