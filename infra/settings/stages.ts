import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** When alarms sound: each where its value is more than this, and only then. */
export interface AlarmThresholds {
  /** How long a period is; so many of the last `periods` must be over the threshold. */
  periodMinutes: number;
  periods: number;
  periodsOver: number;
  /** Requests in a period: of fewer, a share or a percentile says nothing. */
  leastRequests: number;
  /** Share of the answers that are 5xx, in percent. */
  serverErrorPercent: number;
  /** What API Gateway measures from a request to its answer, in milliseconds. */
  latencyP99Ms: number;
  /** Share of the requests that the stage's throttle answers with 429, in percent. */
  throttledPercent: number;
  /** Invocations of one function, in a period, that crashed or timed out, and that Lambda refused. */
  functionErrors: number;
  functionThrottles: number;
  /** Requests to the table, in a period, that DynamoDB throttled, and that it failed. */
  tableThrottles: number;
  tableErrors: number;
  /** How old a change may be that has not become an event, in minutes: a multiple of 5. */
  eventAgeMinutes: number;
}

/** What differs between the stages of a deployment. */
export interface Stage {
  /** Whether table, logs and user pool outlive the stack and refuse to be deleted. */
  keepsData: boolean;
  /** How long logs are kept; they are the audit of who read which application. */
  logRetention: RetentionDays;
  /** How long events are kept to be replayed. */
  eventRetention: Duration;
  /** What each route lets through before it answers 429; the concurrency follows from it. */
  throttle: Throttle;
  /** How a new version gets the traffic: a tenth for ten minutes and then all, or all at once. */
  deployment: 'canary' | 'all-at-once';
  /**
   * Environments of each function that wait for requests, and are paid while they wait. None: a start
   * is short, and seldom where requests are many (docs/roll-out.md).
   */
  provisionedConcurrency: number;
  alarms: AlarmThresholds;
}

/** A token bucket, as API Gateway has it. */
export interface Throttle {
  /** Tokens a second, each of which lets a request through. */
  requestsPerSecond: number;
  /** The most tokens that the bucket holds. */
  burst: number;
}

/**
 * The stages by their names: each is a stack of its own, none knows of another. Their throttles are
 * such that all three fit into an account whose quota of concurrent executions is Lambda's default.
 */
export const stages = {
  dev: {
    keepsData: false,
    logRetention: RetentionDays.ONE_WEEK,
    eventRetention: Duration.days(7),
    throttle: { requestsPerSecond: 5, burst: 10 },
    deployment: 'all-at-once',
    provisionedConcurrency: 0,
    alarms: {
      periodMinutes: 5,
      periods: 3,
      periodsOver: 3,
      leastRequests: 20,
      serverErrorPercent: 10,
      latencyP99Ms: 3_000,
      throttledPercent: 20,
      functionErrors: 2,
      functionThrottles: 2,
      tableThrottles: 10,
      tableErrors: 10,
      eventAgeMinutes: 30,
    },
  },
  staging: {
    keepsData: false,
    logRetention: RetentionDays.ONE_MONTH,
    eventRetention: Duration.days(30),
    throttle: { requestsPerSecond: 10, burst: 20 },
    deployment: 'all-at-once',
    provisionedConcurrency: 0,
    alarms: {
      periodMinutes: 5,
      periods: 3,
      periodsOver: 2,
      leastRequests: 20,
      serverErrorPercent: 5,
      latencyP99Ms: 2_000,
      throttledPercent: 10,
      functionErrors: 0,
      functionThrottles: 0,
      tableThrottles: 5,
      tableErrors: 5,
      eventAgeMinutes: 15,
    },
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.SIX_MONTHS,
    eventRetention: Duration.days(180),
    throttle: { requestsPerSecond: 30, burst: 60 },
    deployment: 'canary',
    provisionedConcurrency: 0,
    alarms: {
      periodMinutes: 1,
      periods: 5,
      periodsOver: 3,
      leastRequests: 10,
      serverErrorPercent: 2,
      latencyP99Ms: 1_000,
      throttledPercent: 5,
      functionErrors: 0,
      functionThrottles: 0,
      tableThrottles: 0,
      tableErrors: 0,
      eventAgeMinutes: 10,
    },
  },
} as const satisfies Record<string, Stage>;

export type StageName = keyof typeof stages;

/** The names of the stages. */
export const stageNames = Object.keys(stages);

/** Whether a text names a stage. */
export const isStageName = (name: string): name is StageName => Object.hasOwn(stages, name);

/** What becomes of a stage's data when its stack is deleted. */
export const removalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
