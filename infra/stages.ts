import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

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
  /** How a new version gets the traffic: a tenth for five minutes and then all, or all at once. */
  deployment: 'canary' | 'all-at-once';
  /**
   * Environments of each function that wait for requests, and are paid while they wait. None: a start
   * is short, and seldom where requests are many (docs/roll-out.md).
   */
  provisionedConcurrency: number;
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
  },
  staging: {
    keepsData: false,
    logRetention: RetentionDays.ONE_MONTH,
    eventRetention: Duration.days(30),
    throttle: { requestsPerSecond: 10, burst: 20 },
    deployment: 'all-at-once',
    provisionedConcurrency: 0,
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.SIX_MONTHS,
    eventRetention: Duration.days(180),
    throttle: { requestsPerSecond: 30, burst: 60 },
    deployment: 'canary',
    provisionedConcurrency: 0,
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
