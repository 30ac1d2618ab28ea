import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Stage } from './stage.ts';

export const dev: Stage = {
  // Yours: releases leave these lines alone.
  settings: {
    issuer: 'cognito',
    tenantClaim: 'none',
    alarmEmail: 'none',
    region: 'any',
  },

  // You may change these lines too, but so may a release.
  keepsData: false,
  logRetention: RetentionDays.ONE_WEEK,
  throttle: { requestsPerSecond: 5, burst: 10 },
};
