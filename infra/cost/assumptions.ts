/** What of a deployment the bill depends on and what cannot be measured without one. */
export interface Assumptions {
  /** The share of requests that start a function, from 0 to 1. */
  coldShare: number;
  /** Milliseconds between sending a request to DynamoDB and its answer, which a function waits. */
  databaseMs: number;
  /** Milliseconds that a start waits for the issuer's keys; the connection to DynamoDB opens meanwhile. */
  keysMs: number;
  /** Processor time on Lambda's processor, as a multiple of the measured. */
  cpuFactor: number;
  /** Environments that Lambda keeps ready for each function. */
  provisioned: number;
  /** What the table holds, in GB. */
  tableGb: number;
  /** Shards of the table's stream: one for each of its partitions. */
  streamShards: number;
  /** Days for which logs are kept. */
  retentionDays: number;
}

/** What is assumed unless an option says otherwise. */
export const defaultAssumptions: Readonly<Assumptions> = {
  coldShare: 0.01,
  databaseMs: 5,
  keysMs: 50,
  cpuFactor: 1,
  provisioned: 0,
  tableGb: 1,
  streamShards: 4,
  retentionDays: 180,
};

/** A month as AWS counts it: 730 hours. */
export const MONTH_SECONDS = 730 * 3600;
