import { Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import packageJson from '../../../package.json' with { type: 'json' };
import type { OperationFunction } from '../function.ts';
import type { AlarmThresholds } from '../stages/stage.ts';
import { dashboardName } from './dashboard.ts';
import { type MonitoredResources, metricsOf, newVersionMetrics } from './metrics.ts';

// Expressions: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html. A missing value
// counts as 0 if another series has a value, and a division by 0 leaves the period without one. Do not use FILL: its
// result for a series without any point is undocumented. Every week, test/outside/alarms.py computes what these alarms
// notice (docs/runbooks/alarms.md, "What the alarms notice").

/**
 * At burn rate 1, failures use up the error budget of 30 days in 30 days (The Site Reliability Workbook, chapter 5). At
 * 28.8, they use 2 % of it in half an hour; at 6, about 6 % in seven hours.
 */
const BURN_RATES = { halfHour: 28.8, sevenHours: 6, threeDays: 1, recovered: 0.5, bugs: 0.2 };
const RENEWAL_DAYS = 30;

interface AlarmSpec {
  name: string;
  /** Set if the alarm counts only this function version. */
  version?: string;
  metric: IMetric;
  threshold: number;
  isMinimum?: true;
  datapointsToAlarm?: number;
  evaluationPeriods?: number;
  /** While there is no data. By default, the alarm then goes to OK: no requests, no failures. */
  keepsState?: true;
  /** What happened, and what to look at first. */
  description: string;
  /** Page and section, relative to `docs/runbooks`. */
  runbook: string;
}

const percentAt = (burnRate: number, objectivePercent: number) =>
  Number((burnRate * (100 - objectivePercent)).toFixed(4));

interface RequestCounts {
  failed: IMetric;
  /**
   * Only requests with an accepted token, so that strangers cannot dilute a fault. `failed` is added because crashes log
   * no line; a failure after the token check therefore counts twice, and a complete outage may show as 50 %.
   */
  accepted: IMetric;
  period: Duration;
}

const failedPercent = ({ failed, accepted, period }: RequestCounts) =>
  new MathExpression({
    expression: '100 * failed / (accepted + failed)',
    usingMetrics: { failed, accepted },
    period,
  });

/**
 * Without a value, the alarm keeps its state. There is none between `ok` and `above`, so that the alarm does not flap.
 * Nor is there one beyond `above` with fewer than `fewest` failures, because one failed request is not enough.
 */
const steadyPercent = (
  label: string,
  counts: RequestCounts,
  { fewest, above, ok }: { fewest: number; above: number; ok: number },
) =>
  new MathExpression({
    label,
    expression: `percent / ((failed >= ${fewest} AND percent > ${above}) OR percent <= ${ok})`,
    usingMetrics: { failed: counts.failed, percent: failedPercent(counts) },
    period: counts.period,
  });

const serverErrors = (resources: MonitoredResources, period: Duration): RequestCounts => {
  const { acceptedTokens: accepted, serverErrors: failed } = metricsOf(resources, period);
  return { failed, accepted, period };
};

/** `error-budget` is in ALARM while the budget burns too fast (`fast` or `slow`) and has not recovered (`recent`). */
function budgetParts(resources: MonitoredResources, objectivePercent: number) {
  const oneHour = serverErrors(resources, Duration.hours(1));
  const slow = percentAt(BURN_RATES.sevenHours, objectivePercent);
  const recovered = percentAt(BURN_RATES.recovered, objectivePercent);
  // At the slow burn rate, six of `enough` requests fail. Fewer requests cannot show a recovery.
  const enough = Math.ceil(600 / slow);
  const part = {
    keepsState: true,
    description: 'A part of error-budget, which notifies. Look first at error-budget.',
    runbook: 'alarms.md#error-budget',
  } as const;
  const label = '5xx, % of requests';
  const burning = (name: string, period: Duration, burnRate: number, fewest: number): AlarmSpec => {
    const above = percentAt(burnRate, objectivePercent);
    const ok = percentAt(burnRate / 4, objectivePercent);
    const metric = steadyPercent(label, serverErrors(resources, period), { fewest, above, ok });
    return { ...part, name, metric, threshold: above };
  };
  return {
    fast: burning('burn-rate-30m', Duration.minutes(30), BURN_RATES.halfHour, 2),
    slow: burning('burn-rate-7h', Duration.hours(7), BURN_RATES.sevenHours, 3),
    recent: {
      ...part,
      name: 'not-recovered',
      metric: new MathExpression({
        label,
        expression:
          `IF(requests >= ${enough}, percent, 100) / ` +
          `(requests < ${enough} OR percent > ${slow} OR percent <= ${recovered})`,
        usingMetrics: {
          requests: new MathExpression({
            expression: 'accepted + failed',
            usingMetrics: { accepted: oneHour.accepted, failed: oneHour.failed },
            period: oneHour.period,
          }),
          percent: failedPercent(oneHour),
        },
        period: oneHour.period,
      }),
      threshold: slow,
    },
  } satisfies Record<string, AlarmSpec>;
}

function alarmTable(
  resources: MonitoredResources,
  { objectivePercent, throttledPercent }: AlarmThresholds,
  certificateArn: string | undefined,
): AlarmSpec[] {
  const everyTenMinutes = metricsOf(resources, Duration.minutes(10));
  const everyHour = metricsOf(resources, Duration.hours(1));
  const everySixHours = metricsOf(resources, Duration.hours(6));
  const budget = percentAt(BURN_RATES.threeDays, objectivePercent);
  const bugs = percentAt(BURN_RATES.bugs, objectivePercent);
  return [
    {
      name: 'burn-rate-3d',
      metric: steadyPercent('5xx, % of requests', serverErrors(resources, Duration.days(3)), {
        fewest: 6,
        above: budget,
        ok: percentAt(BURN_RATES.threeDays * 0.75, objectivePercent),
      }),
      threshold: budget,
      keepsState: true,
      description:
        `In the last three days, more than ${budget} % of the requests got 5xx: at this rate, the service misses its ` +
        'objective. Look first at the failures of these days on the dashboard.',
      runbook: 'alarms.md#burn-rate-3d',
    },
    {
      name: 'bugs',
      metric: steadyPercent(
        'bugs, % of requests',
        {
          failed: everySixHours.bugsAndCrashes,
          accepted: everySixHours.acceptedTokens,
          period: Duration.hours(6),
        },
        { fewest: 2, above: bugs, ok: percentAt(BURN_RATES.bugs / 4, objectivePercent) },
      ),
      threshold: bugs,
      keepsState: true,
      description:
        `In the last six hours, more than ${bugs} % of the requests failed in a way that does not go away by itself: ` +
        'an unexpected error (internal), an invalid stored item (stored_data_invalid) or a crash. Look first at the ' +
        'lines with these outcomes in the logs of the functions.',
      runbook: 'alarms.md#bugs',
    },
    {
      // Counts strangers' tokens too: they look like those of clients that a wrong setting refuses.
      name: 'tokens-rejected',
      metric: steadyPercent(
        'tokens rejected, %',
        {
          failed: everyHour.rejectedTokens,
          accepted: everyHour.acceptedTokens,
          period: Duration.hours(1),
        },
        { fewest: 10, above: 25, ok: 5 },
      ),
      threshold: 25,
      keepsState: true,
      description:
        'In the last hour, the service rejected more than a quarter of the access tokens, expired ones not counted. ' +
        'Either a setting or the issuer is wrong, or strangers send tokens. Look first at token_fault in the log, and ' +
        'at whether the last deployment changed issuer, audience, scopePrefix or tenantClaim.',
      runbook: 'alarms.md#tokens-rejected',
    },
    {
      name: 'throttled-requests',
      metric: new MathExpression({
        label: '429, % of requests',
        expression: '100 * throttled / requests',
        usingMetrics: { throttled: everyTenMinutes.throttled, requests: everyTenMinutes.requests },
        period: Duration.minutes(10),
      }),
      threshold: throttledPercent,
      // Not two: a burst of ten minutes touches two periods.
      datapointsToAlarm: 3,
      evaluationPeriods: 12,
      description:
        `In three ten-minute periods of the last two hours, API Gateway rejected more than ${throttledPercent} % of ` +
        'the requests with 429. Somebody may be exhausting a route, or a limit is too low. Look first at the lines ' +
        "with the status 429 in the API's access log.",
      runbook: 'alarms.md#throttled-requests',
    },
    {
      // An hour counts if at least three of its changes are late, or all of them. The age of stream records says too
      // little, because imports write stream records too.
      name: 'events-late',
      metric: new MathExpression({
        label: 'status changes without an event, %',
        expression: 'IF(late >= 3 OR late >= changes, 100 * late / changes, 0)',
        usingMetrics: {
          changes: everyHour.statusChanges,
          late: new MathExpression({
            expression: 'changes - events',
            usingMetrics: { changes: everyHour.statusChanges, events: everyHour.publishedEvents },
            period: Duration.hours(1),
          }),
        },
        period: Duration.hours(1),
      }),
      threshold: 40,
      // Two hours, so that neither many changes in the last minute of an hour nor a delay of half an hour is enough.
      datapointsToAlarm: 2,
      evaluationPeriods: 4,
      keepsState: true,
      description:
        'In two of the last four hours, more than 40 % of the status changes did not become events: subscribers wait. Look ' +
        'first at the state of the pipe and the reason for it. The stream keeps a change for 24 hours.',
      runbook: 'alarms.md#events-late',
    },
    {
      name: 'dead-letters',
      metric: metricsOf(resources, Duration.minutes(5)).deadLetters,
      threshold: 0,
      // SQS sends metrics only for some hours after a queue's last use, but a message stays in the queue for days.
      keepsState: true,
      description:
        'The pipe has given up on the event of a status change: subscribers miss it. Look first at the message in the ' +
        'dead-letter queue, which says where in the stream the change is.',
      runbook: 'alarms.md#dead-letters',
    },
    ...(certificateArn === undefined ? [] : [certificateEnds(certificateArn)]),
  ];
}

/** AWS sends the metric once a day (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html). */
const certificateEnds = (certificateArn: string): AlarmSpec => ({
  name: 'certificate-ends',
  metric: new Metric({
    namespace: 'AWS/CertificateManager',
    metricName: 'DaysToExpiry',
    dimensionsMap: { CertificateArn: certificateArn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  }),
  threshold: RENEWAL_DAYS,
  isMinimum: true,
  keepsState: true,
  description:
    `The certificate of the API's domain name expires in less than ${RENEWAL_DAYS} days, and then no client can ` +
    'connect. Look first at the renewal status of the certificate. AWS does not renew an imported one.',
  runbook: 'alarms.md#certificate-ends',
});

/**
 * Alarms that roll back a deployment. They count only the new version, so that failures of the old one do not stop the
 * deployment that fixes them. Their ten periods of a minute last as long as the canary, so that no alarm returns to OK
 * before the canary ends.
 */
export function versionAlarmTable(
  each: OperationFunction,
  { latencyP99Ms }: AlarmThresholds,
): AlarmSpec[] {
  const { operation, live } = each;
  const { errors, duration, failures } = newVersionMetrics(each, Duration.minutes(1));
  const alarm = (
    suffix: string,
    happened: string,
    spec: Pick<AlarmSpec, 'metric' | 'threshold' | 'datapointsToAlarm'>,
  ): AlarmSpec => ({
    ...spec,
    name: `${operation}-${suffix}`,
    version: live.version.version,
    evaluationPeriods: 10,
    description:
      `The new version of ${operation} ${happened}. CodeDeploy rolls a deployment back that is still in progress. ` +
      "Look first at the end of the function's log.",
    runbook: 'alarms.md#a-new-version-is-rolled-back',
  });
  return [
    alarm('errors', 'crashes or times out', { metric: errors, threshold: 0, datapointsToAlarm: 1 }),
    alarm('internal', 'fails because of an unexpected error, usually a bug', {
      metric: failures('internal'),
      threshold: 0,
      datapointsToAlarm: 1,
    }),
    alarm('unavailable', 'cannot reach the database or the token issuer', {
      metric: failures('unavailable'),
      threshold: 0,
      datapointsToAlarm: 3,
    }),
    alarm('duration', `takes more than ${latencyP99Ms} ms on average`, {
      metric: duration,
      threshold: latencyP99Ms,
      datapointsToAlarm: 3,
    }),
  ];
}

interface AlarmsProps {
  resources: MonitoredResources;
  thresholds: AlarmThresholds;
  certificateArn: string | undefined;
  topic: ITopic;
}

export class Alarms extends Construct {
  readonly alarms: readonly IAlarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { resources, thresholds, certificateArn, topic } = props;
    // In `scope`: below `this`, the alarms would get other logical ids, and CloudFormation would replace them.
    const budget = new Construct(scope, 'ErrorBudget');
    const { fast, slow, recent } = budgetParts(resources, thresholds.objectivePercent);
    const inAlarm = (spec: AlarmSpec) =>
      AlarmRule.fromAlarm(createAlarm(budget, spec), AlarmState.ALARM);
    const errorBudget = new CompositeAlarm(budget, 'Alarm', {
      compositeAlarmName: `${Stack.of(this).stackName}-error-budget`,
      alarmDescription: descriptionOf(this, {
        description:
          'Clients get 5xx, fast enough to spend the error budget of 30 days within five. Look first at the failures ' +
          'on the dashboard: "internal" is a bug, "unavailable" means that the token issuer or the database does not ' +
          'respond, and 5xx without failures mean that the functions crash, do not start or are throttled.',
        runbook: 'alarms.md#error-budget',
      }),
      alarmRule: AlarmRule.allOf(AlarmRule.anyOf(inAlarm(fast), inAlarm(slow)), inAlarm(recent)),
    });
    const table = alarmTable(resources, thresholds, certificateArn);
    const alarms = [errorBudget, ...table.map((spec) => createAlarm(this, spec))];
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
    this.alarms = alarms;
    Validations.of(budget).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction',
      reason: 'These alarms are parts of a composite alarm, which sends notifications.',
    });
  }
}

export function createAlarm(scope: Construct, spec: AlarmSpec): Alarm {
  const { name, version, metric, threshold, isMinimum, keepsState } = spec;
  const { datapointsToAlarm = 1, evaluationPeriods = 1 } = spec;
  const suffix = version === undefined ? '' : `-of-version-${version}`;
  // No version in the id, so that CloudFormation replaces the previous version's alarm.
  return new Alarm(scope, name, {
    metric,
    threshold,
    datapointsToAlarm,
    evaluationPeriods,
    alarmName: `${Stack.of(scope).stackName}-${name}${suffix}`,
    alarmDescription: descriptionOf(scope, spec),
    comparisonOperator: isMinimum
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: keepsState ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}

function descriptionOf(
  scope: Construct,
  { description, runbook }: Pick<AlarmSpec, 'description' | 'runbook'>,
): string {
  const dashboard = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboardName(scope)}`;
  return `${description} Runbook: ${runbookAddress(runbook)} Dashboard: ${dashboard}`;
}

/** A fork's package.json may have `repository`; ours does not. */
const project: { name: string; repository?: string | { url: string } } = packageJson;

/** A URL if package.json names the repository (`github:OWNER/NAME`, `OWNER/NAME` or a URL), otherwise a path. */
export function runbookAddress(runbook: string, repository = project.repository): string {
  const path = `docs/runbooks/${runbook}`;
  if (repository === undefined) return path;
  const { url } = typeof repository === 'string' ? { url: repository } : repository;
  const address = url
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, 'https://github.com/$1')
    .replace(/^(?:git\+)?(?:https|ssh|git):\/\/(?:git@)?/, 'https://')
    .replace(/^git@([\w.-]+):/, 'https://$1/')
    .replace(/\.git$/, '');
  return `${address}/blob/HEAD/${path}`;
}
