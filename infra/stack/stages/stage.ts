import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from '../settings.ts';

/** Thresholds that differ between stages. The others stand in `observability/alarms.ts`. */
export interface AlarmThresholds {
  /** The percentage of requests that get a response other than 5xx within 30 days. */
  objectivePercent: number;
  /** For the 99th percentile of the latency that API Gateway measures. */
  latencyP99Ms: number;
  /** For the percentage of requests that API Gateway's throttle rejects with 429. */
  throttledPercent: number;
}

/** A stack of its own: what your team decides (`settings`), and the numbers that differ between stages. */
export interface Stage {
  /** See docs/reference/settings.md. A flag (`-c KEY=VALUE`) overrides one for one deployment. */
  settings: StageSettings;
  /** Whether the data outlives the stack. If so, the table and the user pool also have deletion protection. */
  keepsData: boolean;
  /** The logs also record who read which application. */
  logRetention: RetentionDays;
  /** The stack's own KMS key for the table and the logs. By default, AWS owns the keys. */
  ownKey?: true;
  /** How long an archive keeps events for replays. By default, there is no archive. */
  eventRetention?: Duration;
  /** Of each route. API Gateway rejects further requests with 429. */
  throttle: Throttle;
  /** Each function reserves the concurrency that `throttle` admits. By default, the functions share the account's. */
  reservesConcurrency?: true;
  /** Execution environments per function that Lambda keeps initialized, and AWS bills while idle. By default, none. */
  provisionedConcurrency?: number;
  /** Without them, the stage has no alarms, custom metrics, dashboard, saved queries or canary, which alarms roll back. */
  alarms?: AlarmThresholds;
}

export type MonitoredStage = Stage & { alarms: AlarmThresholds };

/** A token bucket. A request takes one token. */
export interface Throttle {
  requestsPerSecond: number;
  /** The most tokens that the bucket holds. */
  burst: number;
}

/**
 * For the table, the KMS key and the user pool. A stage that keeps data also keeps them if CloudFormation rolls back
 * their creation, because it cannot delete a resource with deletion protection, and data is unreadable without its key.
 * Their names are generated, so they do not block the next deployment.
 */
export const dataRemovalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/** For the other resources that outlive the stack. A creation that is rolled back deletes them. */
export const removalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
