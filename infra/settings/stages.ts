import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { TIMEOUT_S } from '../../functions/contract/environment.ts';
import { namesOf } from '../../functions/domain/object.ts';

/** Alarm thresholds that differ between stages. The file `alarm-table.ts` has the other thresholds. */
export interface AlarmThresholds {
  /** The service level objective: the percentage of requests that get a response other than 5xx within 30 days. */
  objectivePercent: number;
  /** The threshold for the 99th percentile of the latency that API Gateway measures, in milliseconds. */
  latencyP99Ms: number;
  /** The threshold for the percentage of requests that API Gateway's throttle rejects with 429. */
  throttledPercent: number;
}

/** The numbers and options that differ between stages. */
export interface Stage {
  /** Whether the data outlives the stack. If so, the table and the user pool also have deletion protection. */
  keepsData: boolean;
  /** The retention of the logs, which also record who read which application. */
  logRetention: RetentionDays;
  /** Whether the stack has its own KMS key for the table and the logs. By default, AWS owns the keys. */
  ownKey?: true;
  /** How long an archive keeps events for replays. By default, there is no archive. */
  eventRetention?: Duration;
  /** The throttle of each route. API Gateway rejects further requests with 429. */
  throttle: Throttle;
  /**
   * How a new function version gets its traffic. With `canary`, CodeDeploy shifts a tenth of the traffic for ten
   * minutes, and then the rest. With `direct`, CloudFormation shifts all traffic at once.
   */
  rollOut: 'canary' | 'direct';
  /**
   * The number of concurrent executions that each function reserves and may not exceed. If it is set, it must be
   * `concurrencyFor(throttle)`. By default, the functions share the account's concurrency.
   */
  reservedConcurrency?: number;
  /**
   * The number of execution environments that Lambda keeps initialized for each function. AWS bills them even while
   * they are idle. By default, Lambda keeps none.
   */
  provisionedConcurrency?: number;
  /**
   * The thresholds of the alarms. Without them, the stage has no alarms, custom metrics, dashboard or saved queries.
   */
  alarms?: AlarmThresholds;
}

/** A stage with alarms. */
export type MonitoredStage = Stage & { alarms: AlarmThresholds };

/** The token bucket by which API Gateway throttles requests. */
interface Throttle {
  /** The tokens that are added each second. A request takes one token. */
  requestsPerSecond: number;
  /** The maximum number of tokens in the bucket. */
  burst: number;
}

/** An upper bound for the time that a function's start takes, in seconds. */
const START_S = 2;

/**
 * Returns the concurrent executions that each function needs for the traffic that a throttle admits. In the worst case,
 * a burst arrives, further requests follow at the throttle's rate, and every request takes a start and the full
 * timeout.
 */
export const concurrencyFor = ({ requestsPerSecond, burst }: Throttle): number =>
  burst + requestsPerSecond * (START_S + TIMEOUT_S);

/** The stages by name. Each stage is a separate stack. */
export const stages = {
  dev: {
    keepsData: false,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { requestsPerSecond: 5, burst: 10 },
    rollOut: 'direct',
  },
  staging: {
    keepsData: false,
    ownKey: true,
    logRetention: RetentionDays.ONE_MONTH,
    eventRetention: Duration.days(30),
    throttle: { requestsPerSecond: 10, burst: 20 },
    rollOut: 'canary',
    alarms: {
      objectivePercent: 99.5,
      latencyP99Ms: 2_000,
      throttledPercent: 10,
    },
  },
  prod: {
    keepsData: true,
    ownKey: true,
    logRetention: RetentionDays.SIX_MONTHS,
    eventRetention: Duration.days(180),
    throttle: { requestsPerSecond: 30, burst: 60 },
    rollOut: 'canary',
    alarms: {
      objectivePercent: 99.9,
      latencyP99Ms: 1_000,
      throttledPercent: 5,
    },
  },
} as const satisfies Record<string, Stage>;

export type StageName = keyof typeof stages;

export const stageNames = namesOf(stages);

/**
 * Returns the removal policy for a stage's table, KMS key and user pool. A stage that keeps data also keeps these
 * resources if CloudFormation rolls back their creation. CloudFormation cannot delete a resource with deletion
 * protection, and data is unreadable once its KMS key is deleted. The kept resources have generated names, so they do
 * not block the next deployment.
 */
export const dataRemovalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/**
 * Returns the removal policy for a stage's other resources that outlive the stack. If CloudFormation rolls back their
 * creation, CloudFormation deletes these resources.
 */
export const removalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
