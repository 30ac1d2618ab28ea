import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { TIMEOUT_S } from '../../functions/contract/environment.ts';
import { namesOf } from '../../functions/domain/record.ts';

/** The thresholds of alarms; those that are the same in each stage are in `alarm-table.ts`. */
export interface AlarmThresholds {
  /** The objective: the share of the requests in 30 days that get a response other than 5xx, in percent. */
  objectivePercent: number;
  /** What API Gateway measures from a request to its response, in milliseconds. */
  latencyP99Ms: number;
  /** Share of the requests to which the stage's throttle responds with 429, in percent. */
  throttledPercent: number;
}

/** What differs between the stages of a deployment. */
export interface Stage {
  /** Whether table, logs and user pool outlive the stack and cannot be deleted. */
  keepsData: boolean;
  /** How long logs are kept; they are the audit of who read which application. */
  logRetention: RetentionDays;
  /** Whether the stack has a KMS key of its own for the table and the logs. By default, AWS owns the keys. */
  ownKey?: true;
  /** How long an archive keeps events to be replayed; by default, there is no archive. */
  eventRetention?: Duration;
  /** What each route lets through before it responds with 429. */
  throttle: Throttle;
  /**
   * How a new version gets the traffic: a tenth of it for ten minutes and then all, by CodeDeploy; or
   * all at once, by CloudFormation.
   */
  rollOut: 'canary' | 'direct';
  /**
   * Concurrent executions that each function has to itself, and may not exceed; by default none, and
   * the functions share those of the account. A stage that sets it sets `concurrencyFor` its throttle.
   */
  reservedConcurrency?: number;
  /** Environments of each function that are kept ready, and paid for while they wait; by default none. */
  provisionedConcurrency?: number;
  /** By default, the stage has no alarms, no metrics of its own, no dashboard and no saved queries. */
  alarms?: AlarmThresholds;
}

/** A stage with alarms. */
export type MonitoredStage = Stage & { alarms: AlarmThresholds };

/** A token bucket, as API Gateway has it. */
export interface Throttle {
  /** Tokens that are added each second; a request takes one. */
  requestsPerSecond: number;
  /** The most tokens that the bucket holds. */
  burst: number;
}

/** More than the start of a function takes, in seconds. */
const START_S = 2;

/**
 * The concurrent executions of each function that a throttle admits, which is what a stage must reserve
 * if it reserves any: a burst, and the requests that follow while each takes as long as it can.
 */
export const concurrencyFor = ({ requestsPerSecond, burst }: Throttle): number =>
  burst + requestsPerSecond * (START_S + TIMEOUT_S);

/** The stages by name; each is a stack of its own. */
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

/** The names of the stages. */
export const stageNames = namesOf(stages);

/**
 * What happens to the table, its key and the user pool of a stage when its stack is deleted. A stage that
 * keeps them also keeps those of a creation that is rolled back: CloudFormation cannot delete what is
 * protected from deletion, and a deleted key makes unreadable what it has encrypted. Their names are
 * generated, so they do not block another attempt.
 */
export const dataRemovalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/** What happens to everything else that a stage keeps: a creation that is rolled back leaves none of it. */
export const removalPolicyOf = ({ keepsData }: Stage): RemovalPolicy =>
  keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
