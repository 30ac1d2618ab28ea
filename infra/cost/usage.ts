import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/contract/operations.ts';
import { jobStatuses } from '../../functions/domain/job.ts';
import { type Assumptions, MONTH_SECONDS } from './assumptions.ts';
import { billedMs, durationsOf, gbSeconds } from './durations.ts';
import type { Measurements } from './measurements.ts';
import type { PriceName } from './prices.ts';

/** A month of a deployment. */
export interface Month {
  /** Requests by operation. Each status update is taken to be a change, and so an event. */
  requests: Readonly<Record<OperationName, number>>;
  /** The functions' memory size. */
  memoryMb: number;
  assumptions: Assumptions;
}

/** How much of what is priced a month uses, in the units of the prices. */
export type Usage = Record<PriceName, number>;

const GB = 1024 ** 3;
const DAYS_OF_MONTH = MONTH_SECONDS / 86_400;
/** CloudWatch stores each line with so many bytes of its own, and compresses it: AWS Pricing Calculator. */
const LINE_OVERHEAD_BYTES = 26;
const LOG_COMPRESSION = 0.15;
/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-dynamodb.html */
const STREAM_POLLS_PER_SECOND = 4;
/** The first request of each second, and a share of the others: see `tracesOf`. */
const TRACED_SHARE = 0.05;
/** DynamoDB keeps a table's key for a caller for so long: see `keyRequestsOf`. */
const KEY_CACHE_SECONDS = 300;

/** The metrics that the alarms of a stage look at. */
const ALARM_METRICS = 26;

/** The most metrics that the log lines make: outcomes, durations and starts, statuses, throttled. */
const customMetrics =
  operationNames.reduce((sum, name) => sum + 1 + operations[name].problems.length + 2, 0) +
  jobStatuses.length +
  1;

/** What a month uses of everything that AWS puts on the bill. */
export function usageOf(month: Month, measurements: Measurements): Usage {
  const { requests, assumptions } = month;
  const all = sum((name) => requests[name]);
  return {
    lambdaRequests: all,
    ...lambdaUsage(month, measurements),
    httpApiRequests: all,
    ...tableUsage(month, measurements),
    pipeRequests: requests['update-job-status'],
    events: requests['update-job-status'],
    ...logUsage(month, measurements),
    traces: sum((name) => tracesOf(requests[name])),
    kmsKeys: 1,
    alarmMetrics: ALARM_METRICS,
    dashboards: 1,
    customMetrics: all === 0 ? 0 : customMetrics,
    // The token of the example of a webhook.
    secrets: 1,
    kmsRequests: sum((name) => keyRequestsOf(requests[name])),
    dataOut: sum((name) => requests[name] * measurements.functions[name].answerBytes) / GB,
    dynamodbStorage: assumptions.tableGb,
    dynamodbRecovery: assumptions.tableGb,
  };
}

const sum = (of: (name: OperationName) => number) =>
  operationNames.reduce((total, name) => total + of(name), 0);

/** With environments kept ready, no request waits for a start, and duration has another price. */
function lambdaUsage({ requests, memoryMb, assumptions }: Month, { functions }: Measurements) {
  const { provisioned } = assumptions;
  const coldShare = provisioned > 0 ? 0 : assumptions.coldShare;
  const duration = sum((name) => {
    const ms = billedMs(durationsOf(functions[name], memoryMb, assumptions), coldShare);
    return gbSeconds(requests[name] * ms, memoryMb);
  });
  const kept = operationNames.length * provisioned;
  return {
    lambdaDuration: provisioned > 0 ? 0 : duration,
    lambdaProvisionedDuration: provisioned > 0 ? duration : 0,
    lambdaProvisionedConcurrency: gbSeconds(kept * MONTH_SECONDS * 1000, memoryMb),
  };
}

function tableUsage({ requests, assumptions }: Month, { functions }: Measurements) {
  const units = (name: OperationName) => requests[name] * functions[name].databaseUnits;
  return {
    dynamodbReadUnits: units('get-application'),
    dynamodbWriteUnits: units('update-job-status'),
    dynamodbStreamReads: assumptions.streamShards * STREAM_POLLS_PER_SECOND * MONTH_SECONDS,
  };
}

/** Each request writes a line to the function's log and one to the access log of the API. */
function logUsage({ requests, assumptions }: Month, { functions }: Measurements) {
  const bytes = sum((name) => {
    const { logBytes, accessLogBytes } = functions[name];
    return requests[name] * (logBytes + accessLogBytes + 2 * LINE_OVERHEAD_BYTES);
  });
  const months = assumptions.retentionDays / DAYS_OF_MONTH;
  return {
    logIngestion: bytes / GB,
    logStorage: (bytes / GB) * LOG_COMPRESSION * months,
  };
}

/**
 * The traces that Lambda records of evenly spread requests: one each second, and 5 % of what is over
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html).
 */
function tracesOf(requests: number): number {
  const first = Math.min(requests, MONTH_SECONDS);
  return first + (requests - first) * TRACED_SHARE;
}

/**
 * DynamoDB's requests for the table's key on behalf of one function: one in five minutes
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html).
 */
const keyRequestsOf = (requests: number) => Math.min(requests, MONTH_SECONDS / KEY_CACHE_SECONDS);
