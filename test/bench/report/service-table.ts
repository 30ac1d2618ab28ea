import type { Load } from '../measure/service.ts';
import { alignedTable, digits } from './table.ts';

const HEADINGS = [
  'local service',
  'connections',
  'requests/s',
  'p50 ms',
  'p90 ms',
  'p99 ms',
  'failures',
  'mean µs',
  'function alone µs',
  'gateway adds µs',
];

/** What the local service does under load, and with one connection what its gateway adds. */
export const serviceTable = (loads: readonly Load[]): string =>
  alignedTable([
    HEADINGS,
    ...loads.map(({ percentiles: { p50, p90, p99 }, ...load }) => [
      load.operation,
      digits(load.connections),
      digits(load.requestsPerSecond),
      ...[p50, p90, p99].map(digits),
      digits(load.failures),
      digits(load.meanMicros),
      // With more connections, the mean is of requests that wait for one another.
      load.connections === 1 ? digits(load.directMicros) : '',
      load.connections === 1 ? digits(load.meanMicros - load.directMicros) : '',
    ]),
  ]);
