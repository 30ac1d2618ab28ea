import { describe, expect, it } from 'vitest';
import { ownDomain } from '../../../support/deployments.ts';
import { templateOf } from '../../../support/stack.ts';
import { alarmsOf, rollbackIds } from './alarms.ts';
import { nextState, type State } from './cloudwatch.ts';
import { metricMath } from './metric-math.ts';
import { play, scenarios } from './scenarios.ts';

describe('the rules of CloudWatch, as its user guide has them', () => {
  // "Configuring how CloudWatch alarms treat missing data": datapoints, M, and the states with `ignore` and `notBreaching`.
  it.each([
    ['0 - X - X', 3, 'OK', 'OK'],
    ['0 - - - -', 3, 'OK', 'OK'],
    ['- - - - -', 3, 'retained', 'OK'],
    ['0 X X - X', 3, 'ALARM', 'ALARM'],
    ['- - X - -', 3, 'retained', 'OK'],
    ['0 - X - X', 2, 'ALARM', 'ALARM'],
    ['0 0 X 0 X', 2, 'ALARM', 'ALARM'],
    ['0 - X - -', 2, 'OK', 'OK'],
    ['- - - - 0', 2, 'OK', 'OK'],
    ['- - - X -', 2, 'retained', 'OK'],
  ])('%s, %i of 3', (points, DatapointsToAlarm, ignore, notBreaching) => {
    const range = points.split(' ').map((it) => ({ X: true, 0: false })[it]);
    const stateWith = (TreatMissingData: 'ignore' | 'notBreaching') =>
      nextState(
        range,
        { EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData },
        'retained' as State,
      );
    expect([stateWith('ignore'), stateWith('notBreaching')]).toEqual([ignore, notBreaching]);
  });

  // "Using math expressions with CloudWatch metrics": values of a, b and c, and of the expression.
  it.each([
    ['a > b', [30, 20], 1],
    ['a > b', [undefined, 20], 0],
    ['a + b', [undefined, 20], 20],
    ['a + b', [undefined, undefined], undefined],
    ['a / b', [30, undefined], undefined],
    ['100 * a / b', [1, 4], 25],
    ['IF(a, b, c)', [1, 30, 0], 30],
    ['IF(a, b, c)', [1, undefined, 0], 0],
    ['IF(a, b, c)', [0, 0, 20], 20],
    ['IF(a, b, c)', [0, 0, undefined], undefined],
    ['IF(a, b, 5)', [undefined, 30], undefined],
    ['IF(a >= 10, 2 * b + c, 0)', [10, 3, 1], 7],
  ])('%s with %j is %s', (expression, [a, b, c], expected) => {
    expect(metricMath(expression).read({ a, b, c })).toBe(expected);
  });
});

describe('the alarms of prod', () => {
  const template = templateOf({ stage: 'prod', ...ownDomain });
  const alarms = alarmsOf(template);
  const results = scenarios.map((scenario) => ({ ...scenario, seen: play(template, scenario) }));

  it.each(results)('$fault, $rate', ({ seen, within: [alarm, minutes] = ['', 0], unnoticed }) => {
    expect(seen.length > 0).toBe(unnoticed === undefined);
    // Once in ALARM, it stays there for as long as the fault lasts.
    expect(seen.filter(({ leaves }) => leaves)).toEqual([]);
    const notice = seen.find((it) => it.alarm === alarm);
    if (alarm !== '') expect(notice?.minutes).toBeLessThanOrEqual(Number(minutes));
  });

  it('roll back for faults of the new version alone', () => {
    const rollback = rollbackIds(template);
    for (const { fault, seen } of results) {
      const back = seen.filter(({ alarm }) => rollback.has(alarms.get(alarm)?.id ?? ''));
      if (!fault.startsWith('the new version')) expect(back, fault).toEqual([]);
    }
  });

  it('notice a fault each', () => {
    const seen = new Set(results.flatMap((it) => it.seen.map(({ alarm }) => alarm)));
    const others = [...alarms.keys()].filter((name) => !name.startsWith('update-job-status'));
    expect(others.filter((name) => !seen.has(name))).toEqual([]);
  });
});
