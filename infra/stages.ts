import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What differs between the stages of a deployment. */
export interface Stage {
  /** Whether table, logs and user pool outlive the stack and refuse to be deleted. */
  keepsData: boolean;
  /** How long logs are kept; they are the audit of who read which application. */
  logRetention: RetentionDays;
  /** What the API lets through before it answers 429. */
  throttle: { requestsPerSecond: number; burst: number };
}

/** The stages by their names: each is a stack of its own, none knows of another. */
export const stages = {
  dev: {
    keepsData: false,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { requestsPerSecond: 20, burst: 40 },
  },
  staging: {
    keepsData: false,
    logRetention: RetentionDays.ONE_MONTH,
    throttle: { requestsPerSecond: 200, burst: 400 },
  },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.SIX_MONTHS,
    throttle: { requestsPerSecond: 200, burst: 400 },
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
