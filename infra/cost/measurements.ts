import type { OperationName } from '../../functions/contract/operations.ts';
import measured from './measurements.json' with { type: 'json' };

/** What one function was measured to need: medians, on the machine that the file names. */
export interface FunctionMeasurements {
  /** Processor time until Node.js runs the first line of the function, in milliseconds. */
  runtimeCpuMs: number;
  /** Processor time of the function's own init, in milliseconds. */
  initCpuMs: number;
  /** Processor time of the first call after init, in milliseconds. */
  firstCallCpuMs: number;
  /** Processor time of a warm call, in milliseconds. */
  warmCallCpuMs: number;
  /** The most memory that its process has held over 20,000 calls, in MB of 1024² bytes. */
  peakMemoryMb: number;
  /** Capacity units of DynamoDB that a call consumes: read units or write units. */
  databaseUnits: number;
  /** Bytes of a request's line in the function's log, and in the access log of the API. */
  logBytes: number;
  accessLogBytes: number;
  /** Bytes of an answer, headers included. */
  answerBytes: number;
}

/** What `npm run bench:cost` measured. */
export interface Measurements {
  /** The day, as YYYY-MM-DD. */
  date: string;
  machine: { processor: string; cores: number; node: string; platform: string };
  /** How often each was measured. */
  rounds: number;
  functions: Readonly<Record<OperationName, FunctionMeasurements>>;
}

/** The measurements that the bill, the charts and the memory size are made of. */
export const measurements: Measurements = measured;
