import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../../functions/operations/operations.ts';
import { scaled, seed } from '../../../security/random-cases.ts';
import { ownDomain } from '../../../support/deployments.ts';
import { pageWith } from '../../../support/pages.ts';
import { templateOf } from '../../../support/stack.ts';
import { ALARM_PAGE, scenarioTable } from './alarm-page.ts';
import { alarmsOf, compositesOf, rollbackIds } from './alarms.ts';
import { nextState, type State } from './cloudwatch.ts';
import { metricMath } from './metric-math.ts';
import { play, resultsOf, timesADay } from './scenarios.ts';

describe('the rules of CloudWatch, as its user guide has them', () => {
  // "Configuring how CloudWatch alarms treat missing data": datapoints, M, and the states with `ignore` and
  // `notBreaching`.
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
    ['a <= 0.5 * b OR b > 5 AND c > 5', [3, 6, 6], 1],
    ['a <= 0.5 * b OR b > 5 AND c > 5', [3, 6, 5], 1],
    ['(a <= 0.5 * b OR b > 5) AND c > 5', [3, 6, 5], 0],
    ['a / (b > c)', [3, 1, 1], undefined],
  ])('%s with %j is %s', (expression, [a, b, c], expected) => {
    expect(metricMath(expression).read({ a, b, c })).toBe(expected);
  });
});

describe('the alarms of prod', () => {
  const template = templateOf({ stage: 'prod', ...ownDomain });
  const alarms = alarmsOf(template);
  // docs/reference/alarms.md shows ten runs.
  const results = resultsOf(template, Math.max(10, scaled(100)), seed());

  it.each(results)('$scenario.fault, $scenario.rate', (result) => {
    const { scenario, draws } = result;
    const { within: [name, minutes] = [], atMost, aDay = 1.2 } = scenario;
    const noticed = draws.filter((notices) => notices.length > 0).length / draws.length;
    if (atMost === undefined) expect(noticed).toBe(1);
    else expect(noticed).toBeLessThanOrEqual(atMost);
    for (const notices of name === undefined ? [] : draws) {
      const notice = notices.find(({ alarm }) => alarm === name);
      expect(notice?.minutes).toBeLessThanOrEqual(Number(minutes));
    }
    for (const alarm of new Set(draws.flat().map((it) => it.alarm))) {
      expect(timesADay(result, alarm), alarm).toBeLessThanOrEqual(aDay);
    }
  });

  it('are in docs/reference/alarms.md as 10 draws of each scenario show them (`npm run generate`)', async () => {
    // As many draws as `npm test` makes, whatever the seed of this run.
    const text = pageWith(ALARM_PAGE, 'scenarios', scenarioTable(resultsOf(template, 10, 1)));
    await expect(text).toMatchFileSnapshot(`../../../../${ALARM_PAGE}`);
  });

  it('roll back for faults of the new version alone', () => {
    const rollback = rollbackIds(template);
    for (const { scenario, draws } of results) {
      const back = draws.flat().filter(({ alarm }) => rollback.has(alarms.get(alarm)?.id ?? ''));
      if (!scenario.fault.startsWith('the new version')) expect(back, scenario.fault).toEqual([]);
    }
  });

  it.each([1, 20])('page again for the next fault, at %i requests a minute', (rate) => {
    const fault = (from: number) => ({ rate, from, until: from + 60 });
    const scenario = {
      ...{ fault: 'two outages', rate: `${rate} a minute`, before: { ok: rate } },
      during: {
        ...{ unavailable: fault(0), crash: fault(540) },
        ok: { rate, from: 60, until: 540 },
      },
    };
    for (const nth of [0, 1, 2]) {
      const pages = play(template, scenario, seed() + nth);
      expect(pages).toContainEqual(expect.objectContaining({ alarm: 'error-budget', times: 2 }));
    }
  });

  // Every operation has the same alarms, and the faults are those of one.
  const isOfAnother = (alarm: string) =>
    operationNames.some((name) => name !== 'get-application' && alarm.startsWith(name));

  it('notice a fault each', () => {
    const seen = new Set(results.flatMap((it) => it.draws.flat().map(({ alarm }) => alarm)));
    const parts = [...compositesOf(template).values()].map(({ rule }) => rule).join(' ');
    const others = [...alarms, ...compositesOf(template)].flatMap(([name, { id }]) =>
      isOfAnother(name) || parts.includes(id) ? [] : [name],
    );
    expect(others.filter((name) => !seen.has(name))).toEqual([]);
  });
});
