import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Stage } from './stage.ts';

export const prod: Stage = {
  // Yours: releases leave these lines alone. Without your answers, `npx cdk synth -c stage=prod` says what to write.
  settings: {},

  // You may change these lines too, but so may a release.
  keepsData: true,
  ownKey: true,
  logRetention: RetentionDays.SIX_MONTHS,
  eventRetention: Duration.days(180),
  throttle: { requestsPerSecond: 30, burst: 60 },
  hasProbe: true,
  alarms: {
    objectivePercent: 99.9,
    slowMs: 1_000,
    throttledPercent: 5,
  },
};
