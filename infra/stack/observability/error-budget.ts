import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { AlarmRule, AlarmState, CompositeAlarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type AlarmSpec, createAlarm, descriptionOf, shareWithGap } from './alarms.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';

/**
 * The burn rate above which the alarm on each window goes to ALARM. At the burn rate 1, the service spends its error
 * budget for 30 days in 30 days. At the burn rate 6, it spends the budget in five days (The Site Reliability Workbook,
 * chapter 5, "Alerting on SLOs", table 5-8).
 */
const BURN_RATES = { oneHour: 14.4, sixHours: 6, threeDays: 1 };
/**
 * The minimum number of failures in a window for an alarm. With little traffic, a single failure is a high burn rate.
 */
const MIN_FAILURES = 3;

/**
 * The metric expression for the number of requests, of which the alarms compute the percentage of failures. Requests
 * without a valid token do not count. Otherwise, strangers could send so many requests that an outage would cause only
 * a small percentage of failures. A crash writes no log line, so `accepted` lacks crashes, and the expression adds
 * `errors`. A failed request whose log line has a valid token is then counted twice, which hardly changes a small
 * percentage.
 */
const REQUESTS = '(accepted + errors)';

/** Returns the percentage of failed requests at a burn rate. */
const percentAt = (burnRate: number, objectivePercent: number) =>
  Number((burnRate * (100 - objectivePercent)).toFixed(4));

/** Returns the alarm on the burn rate in a sliding window. The operations share one error budget. */
function burnRateAlarm(
  resources: MonitoredResources,
  objectivePercent: number,
  window: { name: string; length: Duration; burnRate: number },
  texts: Pick<AlarmSpec, 'description'>,
): AlarmSpec {
  const { expression, acceptedTokens, serverErrors } = metricsOf(resources, window.length);
  const threshold = percentAt(window.burnRate, objectivePercent);
  return {
    ...texts,
    name: `burn-rate-${window.name}`,
    metric: expression(
      '5xx, % of requests',
      shareWithGap('errors', REQUESTS, MIN_FAILURES, threshold),
      { accepted: acceptedTokens, errors: serverErrors },
    ),
    threshold,
    datapointsToAlarm: 1,
    evaluationPeriods: 1,
    keepsState: true,
    runbook: 'alarms.md#bad-version',
  };
}

/**
 * Returns the alarm on a low burn rate, which needs a ticket rather than a page. The alarm has no second, shorter
 * window, because nobody waits for its return to OK. A second window would also need a composite alarm, which costs
 * 0.50 USD a month.
 */
export const slowBurnAlarm = (resources: MonitoredResources, objectivePercent: number) =>
  burnRateAlarm(
    resources,
    objectivePercent,
    { name: '3d', length: Duration.days(3), burnRate: BURN_RATES.threeDays },
    {
      description:
        `In the last three days, more than ${percentAt(1, objectivePercent)} % of the requests got 5xx. If this ` +
        'share stays the same for 30 days, the service misses its objective. Look first at the failures of the ' +
        'last three days on the dashboard.',
    },
  );

interface ErrorBudgetProps {
  resources: MonitoredResources;
  /** The percentage of requests that get a response other than 5xx within 30 days. */
  objectivePercent: number;
  topic: ITopic;
}

/**
 * The alarm that pages an operator because requests fail. One composite alarm covers several windows, so that a fault
 * pages once. The parts of the composite alarm notify nobody.
 */
export class ErrorBudget extends Construct {
  readonly alarm: IAlarm;

  constructor(scope: Construct, id: string, { topic, ...props }: ErrorBudgetProps) {
    super(scope, id);
    const { fast, slow, recent } = partsOf(props);
    const inAlarm = (spec: AlarmSpec) =>
      AlarmRule.fromAlarm(createAlarm(this, spec), AlarmState.ALARM);
    const alarm = new CompositeAlarm(this, 'Alarm', {
      compositeAlarmName: `${Stack.of(this).stackName}-error-budget`,
      alarmDescription: descriptionOf({
        description:
          'Clients get 5xx. So many requests fail that the service would spend its error budget for 30 days within ' +
          'five days. The error budget is the number of requests that may fail. Look first at the failures on the ' +
          'dashboard. The outcome "internal" is an unexpected error, usually a bug. The outcome "unavailable" ' +
          'means that the token issuer or the database does not respond. If the dashboard shows 5xx but no ' +
          'failures, the functions crash or do not start, or Lambda throttles them.',
        runbook: 'alarms.md#bad-version',
      }),
      alarmRule: AlarmRule.allOf(AlarmRule.anyOf(inAlarm(fast), inAlarm(slow)), inAlarm(recent)),
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    this.alarm = alarm;
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction',
      reason: 'These alarms are parts of a composite alarm, which sends notifications.',
    });
  }
}

function partsOf({ resources, objectivePercent }: Omit<ErrorBudgetProps, 'topic'>) {
  const part = {
    description: 'This alarm is a part of the alarm error-budget. Look first at error-budget.',
  };
  const fast = { name: '1h', length: Duration.hours(1), burnRate: BURN_RATES.oneHour };
  const slow = { name: '6h', length: Duration.hours(6), burnRate: BURN_RATES.sixHours };
  const { expression, acceptedTokens, serverErrors } = metricsOf(resources, fast.length);
  const threshold = percentAt(slow.burnRate, objectivePercent);
  // The number of requests with six failures on average at the burn rate of `slow`. With this many requests, an hour
  // with almost no failures shows a real recovery.
  const enough = Math.ceil((100 * 2 * MIN_FAILURES) / threshold);
  const recent: AlarmSpec = {
    name: 'not-recovered',
    metric: expression(
      '5xx, % of requests',
      // The expression has no value while the burn rate is between 0.5 and the threshold, so that a few failures after
      // an outage do not page again.
      `IF(${REQUESTS} >= ${enough}, 100 * errors / ${REQUESTS}, 100) / (${REQUESTS} < ${enough} OR ` +
        `100 * errors > ${threshold} * ${REQUESTS} OR ` +
        `100 * errors <= ${percentAt(0.5, objectivePercent)} * ${REQUESTS})`,
      { accepted: acceptedTokens, errors: serverErrors },
    ),
    threshold,
    datapointsToAlarm: 1,
    evaluationPeriods: 1,
    keepsState: true,
    description:
      'This alarm is a part of the alarm error-budget. It is in ALARM if too many requests failed in the last ' +
      `hour. It is also in ALARM if the last hour had fewer than ${enough} requests, because so few requests ` +
      'cannot show that the service has recovered. Look first at error-budget.',
    runbook: 'alarms.md#bad-version',
  };
  return {
    fast: burnRateAlarm(resources, objectivePercent, fast, part),
    slow: burnRateAlarm(resources, objectivePercent, slow, part),
    recent,
  };
}
