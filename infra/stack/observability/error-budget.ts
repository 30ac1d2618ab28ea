import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { AlarmRule, AlarmState, CompositeAlarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type AlarmSpec, createAlarm, descriptionOf, shareWithGap } from './alarms.ts';
import { type MonitoredResources, metricsOf } from './metrics.ts';

/**
 * How many times faster than the objective allows the error budget of 30 days is spent (The Site Reliability
 * Workbook, chapter 5, "Alerting on SLOs", table 5-8).
 */
const BURN_RATES = { oneHour: 14.4, sixHours: 6, threeDays: 1 };
/** The fewest failures that count in a window. With little traffic, a single failure is a high burn rate. */
const MIN_FAILURES = 3;

/**
 * The requests that count. Requests without a valid token do not: strangers could send so many that an outage is a small
 * share. A crash writes no log line, so `accepted` lacks it. A failure of the database is in both, which lowers a small share
 * by hardly anything.
 */
const REQUESTS = '(accepted + errors)';

/** The share of failed requests at a burn rate, in percent. */
const percentAt = (burnRate: number, objectivePercent: number) =>
  Number((burnRate * (100 - objectivePercent)).toFixed(4));

/** An alarm on the burn rate in a window that slides. Both operations share one budget, and so their traffic. */
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
 * The alarm on slow burns, which is for a ticket. It has no second, shorter window: nobody waits for it to return to
 * OK, and a composite alarm costs 0.50 USD a month.
 */
export const slowBurnAlarm = (resources: MonitoredResources, objectivePercent: number) =>
  burnRateAlarm(
    resources,
    objectivePercent,
    { name: '3d', length: Duration.days(3), burnRate: BURN_RATES.threeDays },
    {
      description:
        `In three days, more than ${percentAt(1, objectivePercent)} % of the responses were 5xx: the objective of ` +
        '30 days will be missed. Look first at the failures on the dashboard, over a week.',
    },
  );

interface ErrorBudgetProps {
  resources: MonitoredResources;
  /** The share of the requests that get a response other than 5xx within 30 days, in percent. */
  objectivePercent: number;
  topic: ITopic;
}

/**
 * The alarm that pages because requests fail. It is one alarm on several windows, so that a fault pages once. Its
 * parts notify nobody.
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
          'Requests fail so often that the error budget of 30 days would be spent within five days. Look first at ' +
          'the failures on the dashboard: "internal" is a bug; "unavailable" is the token issuer or the ' +
          'database; if there are none, the functions do not start or are throttled.',
        runbook: 'alarms.md#bad-version',
      }),
      alarmRule: AlarmRule.allOf(AlarmRule.anyOf(inAlarm(fast), inAlarm(slow)), inAlarm(recent)),
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    this.alarm = alarm;
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction',
      reason: 'They are parts of a composite alarm, which notifies.',
    });
  }
}

/** The alarms of which the composite alarm consists. */
function partsOf({ resources, objectivePercent }: Omit<ErrorBudgetProps, 'topic'>) {
  const part = { description: 'Part of error-budget. Look first at that alarm.' };
  const fast = { name: '1h', length: Duration.hours(1), burnRate: BURN_RATES.oneHour };
  const slow = { name: '6h', length: Duration.hours(6), burnRate: BURN_RATES.sixHours };
  const { expression, acceptedTokens, serverErrors } = metricsOf(resources, fast.length);
  const threshold = percentAt(slow.burnRate, objectivePercent);
  // At this burn rate, so many requests have six failures on average. An hour with almost none is then no chance.
  const enough = Math.ceil((100 * 2 * MIN_FAILURES) / threshold);
  const recent: AlarmSpec = {
    name: 'not-recovered',
    metric: expression(
      '5xx, % of requests',
      // Between half the error budget and the threshold, it has no value: a few failures after an outage page nobody again.
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
      `Part of error-budget. Also in ALARM if the last hour had fewer than ${enough} requests, which are too few ` +
      'to tell. Look first at that alarm.',
    runbook: 'alarms.md#bad-version',
  };
  return {
    fast: burnRateAlarm(resources, objectivePercent, fast, part),
    slow: burnRateAlarm(resources, objectivePercent, slow, part),
    recent,
  };
}
