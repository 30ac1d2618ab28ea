import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
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
import { type Metrics, type MonitoredResources, metricsOf, newVersionMetrics } from './metrics.ts';

// Expressions: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html. A missing value
// counts as 0 if another series has a value, and a division by 0 leaves the period without one. Do not use FILL: its
// result for a series without any point is undocumented. test/outside/alarms.py computes what these alarms notice.

// Burn rates: at 1, failures use up the error budget of 30 days in 30 days (The Site Reliability Workbook, chapter 5). At
// 28.8, they use 2 % of it in half an hour; at 1.5, 5 % in a day.

const RENEWAL_DAYS = 30;

interface AlarmSpec {
  name: string;
  metric: IMetric;
  /** By default, 0. */
  threshold?: number;
  datapoints?: [toAlarm: number, evaluated: number];
  /** What happened, and what to look at first. */
  description: string;
}

interface ShareLimits {
  /** Fewer failed requests than this do not raise an alarm. */
  fewest: number;
  /** Percentages. The alarm goes to ALARM above `above`, and back to OK at `ok` (default: a tenth of `above`). */
  above: number;
  ok?: number;
  datapoints?: [toAlarm: number, evaluated: number];
  othersIncludeFailed?: true;
}

const rounded = (value: number) => Number(value.toFixed(4));

function alarmTable(
  resources: MonitoredResources,
  { objectivePercent, slowMs, throttledPercent }: AlarmThresholds,
  certificateArn: string | undefined,
): AlarmSpec[] {
  /**
   * The alarm's metric is a percentage. Between `ok` and `above`, it divides by zero, because an alarm keeps its state
   * if there is no value.
   */
  function share(
    name: string,
    period: Duration,
    pick: (its: Metrics) => [failed: IMetric, others: IMetric],
    { fewest, above, ok = rounded(above / 10), othersIncludeFailed, ...limits }: ShareLimits,
    description: string,
  ): AlarmSpec {
    const [failed, others] = pick(metricsOf(resources, period));
    const percent = new MathExpression({
      expression: `100 * failed / ${othersIncludeFailed ? 'others' : '(others + failed)'}`,
      usingMetrics: { failed, others },
      period,
    });
    const expression = `percent / ((failed >= ${fewest} AND percent > ${above}) OR percent <= ${ok})`;
    const usingMetrics = { failed, percent };
    const metric = new MathExpression({ label: `${name}, %`, expression, usingMetrics, period });
    return { name, metric, threshold: above, description, ...limits };
  }
  const percentAt = (burnRate: number) => rounded(burnRate * (100 - objectivePercent));
  const [outage, budget, bugs] = [percentAt(28.8), percentAt(1.5), percentAt(0.2)];
  const { statusChanges: changes, publishedEvents: events } = metricsOf(
    resources,
    Duration.hours(1),
  );
  return [
    // Compared with `acceptedTokens`, so that strangers cannot dilute a fault. Crashes do not log a line, hence `others
    // + failed`: a failure after the token check counts twice, so a complete outage may show as 50 %.
    share(
      'outage',
      Duration.minutes(30),
      ({ serverErrors, acceptedTokens }) => [serverErrors, acceptedTokens],
      { fewest: 5, above: outage },
      `In half an hour, more than ${outage} % of the requests got 5xx. Look first at the failures on the dashboard: ` +
        '"internal" is a bug, "unavailable" means that the token issuer or the database does not respond, and 5xx ' +
        'without failures mean that the functions crash, do not start or are throttled.',
    ),
    share(
      'error-budget',
      Duration.days(1),
      ({ serverErrors, acceptedTokens }) => [serverErrors, acceptedTokens],
      { fewest: 4, above: budget, ok: percentAt(0.6) },
      `In a day, more than ${budget} % of the requests got 5xx: at this rate, the service misses its objective. Look ` +
        'first at the failures of this day on the dashboard.',
    ),
    // 25 % is far above healthy traffic; with the objective as threshold, healthy traffic would keep the alarm in
    // ALARM. At least ten, because at one request a minute, five are soon slow by chance.
    share(
      'slow',
      Duration.minutes(30),
      ({ slowResponses, acceptedTokens }) => [slowResponses, acceptedTokens],
      { fewest: 10, above: 25, ok: 12.5, othersIncludeFailed: true },
      `In half an hour, ten requests or more, and more than 25 %, took longer than ${slowMs} ms in the function, without its start ` +
        'and without API Gateway. Look first at the saved query slowest-requests: DynamoDB, the keys of the token issuer ' +
        'or the CPU may be slow.',
    ),
    share(
      'bugs',
      Duration.hours(6),
      ({ bugsAndCrashes, acceptedTokens }) => [bugsAndCrashes, acceptedTokens],
      { fewest: 2, above: bugs },
      `In six hours, more than ${bugs} % of the requests failed for reasons that do not go away by themselves. Look first at ` +
        "the outcomes internal and stored_data_invalid in the functions' logs, and for crashes at the end of the logs.",
    ),
    // Over a day, so that one client's nightly job stays a small share; a probe notices sooner that no token works.
    // Strangers' tokens cannot be told from those that are refused because of a wrong setting.
    share(
      'tokens-rejected',
      Duration.days(1),
      ({ rejectedTokens, acceptedTokens }) => [rejectedTokens, acceptedTokens],
      { fewest: 10, above: 10 },
      'In a day, more than a tenth of the access tokens were rejected, not counting expired ones: a setting, the issuer ' +
        'or a client is wrong, or strangers send tokens. Look first at token_fault in the log.',
    ),
    // Three periods, because a ten-minute burst can fall into two.
    share(
      'throttled-requests',
      Duration.minutes(15),
      ({ throttled, admitted }) => [throttled, admitted],
      { fewest: 12, above: throttledPercent, datapoints: [3, 3] },
      `For three quarters of an hour, API Gateway rejected more than ${throttledPercent} % of the requests with 429: ` +
        "somebody exhausts a route, or a limit is too low. Look first at the status 429 in the API's access log.",
    ),
    {
      // An hour counts if at least three of its changes are late, or all of them. The age of stream records says too
      // little, because imports write stream records too.
      name: 'events-late',
      metric: new MathExpression({
        label: 'status changes without an event, %',
        expression:
          'IF(changes - events >= 3 OR changes - events >= changes, 100 * (changes - events) / changes, 0)',
        usingMetrics: { changes, events },
        period: Duration.hours(1),
      }),
      threshold: 40,
      // Two hours, so that neither many changes in the last minute of an hour nor a delay of half an hour is enough.
      datapoints: [2, 4],
      description:
        'In two of the last four hours, more than 40 % of the status changes have not become events yet. ' +
        'Look first at the state of the pipe. The stream keeps a change for 24 hours.',
    },
    {
      name: 'dead-letters',
      metric: metricsOf(resources, Duration.minutes(5)).deadLetters,
      description:
        'The pipe has given up on the event of a status change: subscribers miss it. Look first at the message in the ' +
        'dead-letter queue, which says where in the stream the change is.',
    },
    ...(certificateArn === undefined ? [] : [certificateEnds(certificateArn)]),
  ];
}

/** AWS sends the metric once a day (https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html). */
const certificateEnds = (certificateArn: string): AlarmSpec => ({
  name: 'certificate-ends',
  metric: new MathExpression({
    label: 'days since the renewal was due',
    expression: `${RENEWAL_DAYS} - days`,
    usingMetrics: {
      days: new Metric({
        namespace: 'AWS/CertificateManager',
        metricName: 'DaysToExpiry',
        dimensionsMap: { CertificateArn: certificateArn },
        statistic: Stats.MINIMUM,
      }),
    },
    period: Duration.days(1),
  }),
  description:
    `The certificate of the API's domain name expires in less than ${RENEWAL_DAYS} days, and then no client can ` +
    'connect. Look first at the renewal status of the certificate. AWS does not renew an imported one.',
});

/**
 * Alarms that roll back a deployment. They count only the new version, so that failures of the old one do not stop the
 * deployment that fixes them. Their ten one-minute periods last as long as the canary, so that no alarm returns to OK
 * before the canary ends.
 */
export function createVersionAlarms(
  scope: Construct,
  each: OperationFunction,
  { slowMs }: AlarmThresholds,
): Alarm[] {
  const { operation, live } = each;
  const { errors, duration, failures } = newVersionMetrics(each, Duration.minutes(1));
  const table: [
    suffix: string,
    happened: string,
    metric: IMetric,
    toAlarm: number,
    above?: number,
  ][] = [
    ['errors', 'crashes or times out', errors, 1],
    ['internal', 'fails because of an unexpected error, usually a bug', failures('internal'), 1],
    ['unavailable', 'cannot reach the database or the token issuer', failures('unavailable'), 3],
    ['duration', `takes more than ${slowMs} ms on average`, duration, 3, slowMs],
  ];
  return table.map(([suffix, happened, metric, toAlarm, threshold = 0]) =>
    createAlarm(
      scope,
      {
        name: `${operation}-${suffix}`,
        metric,
        threshold,
        datapoints: [toAlarm, 10],
        description:
          `The new version of ${operation} ${happened}. CodeDeploy rolls a deployment back that is still in progress. ` +
          "Look first at the end of the function's log.",
      },
      live.version.version,
    ),
  );
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
    const table = alarmTable(resources, thresholds, certificateArn);
    const alarms = table.map((spec) => createAlarm(this, spec));
    for (const alarm of alarms) {
      alarm.addAlarmAction(new SnsAction(topic));
      alarm.addOkAction(new SnsAction(topic));
    }
    this.alarms = alarms;
  }
}

/** @param version set if the alarm counts only this function version. */
function createAlarm(scope: Construct, spec: AlarmSpec, version?: string): Alarm {
  const { name, metric, threshold = 0, datapoints = [1, 1], description } = spec;
  const [datapointsToAlarm, evaluationPeriods] = datapoints;
  const suffix = version === undefined ? '' : `-of-version-${version}`;
  const section = version === undefined ? name : 'a-new-version-is-rolled-back';
  const dashboard = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${dashboardName(scope)}`;
  // No version in the id, so that CloudFormation replaces the previous version's alarm.
  return new Alarm(scope, name, {
    metric,
    threshold,
    datapointsToAlarm,
    evaluationPeriods,
    alarmName: `${Stack.of(scope).stackName}-${name}${suffix}`,
    alarmDescription: `${description} Runbook: ${runbookAddress(section)} Dashboard: ${dashboard}`,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    // Without data, an alarm that notifies keeps its state: SQS stops sending metrics even while messages wait.
    treatMissingData:
      version === undefined ? TreatMissingData.IGNORE : TreatMissingData.NOT_BREACHING,
  });
}

/** A fork's package.json may have `repository`; ours does not. */
const project: { name: string; repository?: unknown } = packageJson;

/** A URL if `repository` in package.json is one, otherwise a path. */
export function runbookAddress(section: string, repository = project.repository): string {
  const path = `docs/runbooks/alarms.md#${section}`;
  return /^https:/.test(`${repository}`) ? `${repository}/blob/HEAD/${path}` : path;
}
