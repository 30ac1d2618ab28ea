import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from '../settings/settings.ts';

/** Only thresholds that differ between stages; the others are in `observability/alarms.ts`. */
export interface AlarmThresholds {
  /** Percentage of all requests in 30 days that must not get 5xx. */
  objectivePercent: number;
  /** Slower requests count as slow (alarm `slow`, dashboard). A new version that is slow on average is rolled back. */
  slowMs: number;
  /** Above this percentage of 429 responses, the alarm `throttled-requests` is raised. */
  throttledPercent: number;
}

export interface Stage {
  /** See docs/reference/settings.md. For one deployment, a flag (`-c KEY=VALUE`) overrides a setting. */
  settings: StageSettings;
  /** If true, data outlives the stack, and table and user pool have deletion protection. */
  keepsData: boolean;
  /** How long to keep logs, which also record who read which application. */
  logRetention: RetentionDays;
  /** One KMS key for the table and the logs. By default, AWS owns the keys. */
  ownKey?: true;
  /** How long events can be replayed; by default, there is no archive. */
  eventRetention?: Duration;
  /** Per route. */
  throttle: Throttle;
  /**
   * Reserves as much concurrency for each function as `throttle` admits. By default, functions share the account's
   * concurrency.
   */
  reservesConcurrency?: true;
  /** Per function; AWS bills it even while idle. By default, there is none. */
  provisionedConcurrency?: number;
  /** Adds a Cognito client for `.github/workflows/probe.yml` if `issuer` is `cognito`. */
  hasProbe?: true;
  /** Without thresholds, the stage has no alarms, custom metrics, dashboard, saved queries or canary. */
  alarms?: AlarmThresholds;
}

export type MonitoredStage = Stage & { alarms: AlarmThresholds };

export interface Throttle {
  requestsPerSecond: number;
  burst: number;
}

/**
 * For the table, the KMS key and the user pool. A stage that keeps data keeps them even if CloudFormation rolls back
 * their creation: it cannot delete a resource with deletion protection, and data is unreadable without its key. Their
 * names are generated, so they do not block the next deployment.
 */
export const dataRemovalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/** For other resources that outlive the stack. If their creation is rolled back, they are deleted. */
export const removalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
