import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Stage } from './stage.ts';

export const staging: Stage = {
  // Yours: releases leave these lines alone. Without your answers, `npx cdk synth -c stage=staging` says what to write.
  settings: {},

  // You may change these lines too, but so may a release.
  keepsData: false,
  ownKey: true,
  logRetention: RetentionDays.ONE_MONTH,
  eventRetention: Duration.days(30),
  throttle: { requestsPerSecond: 10, burst: 20 },
  alarms: {
    objectivePercent: 99.5,
    slowMs: 2_000,
    throttledPercent: 10,
  },
};
