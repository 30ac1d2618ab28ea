import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from '../settings.ts';

/** Only those that differ between stages; the others are in `observability/alarms.ts`. */
export interface AlarmThresholds {
  /** Of all requests in 30 days, how many must not get 5xx. */
  objectivePercent: number;
  /**
   * Slow: a line in the dashboard's graph of latency, and the average duration at which a new version is rolled back.
   */
  latencyP99Ms: number;
  /** Of requests that API Gateway rejects with 429. */
  throttledPercent: number;
}

/** What your team decides (`settings`), and the numbers that differ between stages. */
export interface Stage {
  /** See docs/reference/settings.md. For one deployment, a flag (`-c KEY=VALUE`) overrides them. */
  settings: StageSettings;
  /** Data then outlives the stack, and table and user pool have deletion protection. */
  keepsData: boolean;
  /** The logs also record who read which application. */
  logRetention: RetentionDays;
  /** One KMS key for the table and the logs. By default, AWS owns the keys. */
  ownKey?: true;
  /** For replays from an archive. By default, there is none. */
  eventRetention?: Duration;
  /** For each route. API Gateway rejects further requests with 429. */
  throttle: Throttle;
  /** As much as `throttle` admits, for each function. By default, they share the account's. */
  reservesConcurrency?: true;
  /** Execution environments per function that Lambda keeps initialized, and AWS bills while idle. By default, none. */
  provisionedConcurrency?: number;
  /**
   * Without them, the stage has no alarms, custom metrics, dashboard, saved queries or canary, which alarms roll back.
   */
  alarms?: AlarmThresholds;
}

export type MonitoredStage = Stage & { alarms: AlarmThresholds };

/** Token bucket, from which a request takes one. */
export interface Throttle {
  requestsPerSecond: number;
  /** How many tokens fit in. */
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
