import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestMetrics } from '../../../../functions/contract/metrics.ts';
import { operations } from '../../../../functions/contract/operations.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { stages } from '../../../../infra/settings/stages.ts';
import { queries } from '../../../../infra/stack/observability/queries.ts';
import { alarmsOf } from '../../../support/alarms.ts';
import { applicationItem } from '../../../support/items.ts';
import { observed } from '../../../support/observed.ts';
import { useService } from '../../../support/service.ts';

const page = readFileSync(new URL('../../../../docs/observability.md', import.meta.url), 'utf8');
const alarms = alarmsOf(observed('prod').template);

/** The row of a table that begins with a name in code, maybe among others. */
const rowOf = (name: string) =>
  page.split('\n').find((line) => line.split(' | ', 1)[0]?.includes(`\`${name}\``)) ?? '';

const dollars = (amount: number) => amount.toFixed(2);

describe('the page on observability', () => {
  it('has each metric with its dimensions, and each query', () => {
    for (const [name, { dimensions }] of Object.entries(requestMetrics)) {
      for (const dimension of dimensions) expect(rowOf(name)).toContain(`\`${dimension}\``);
    }
    for (const name of Object.keys(queries)) expect(rowOf(name)).not.toBe('');
  });

  it.each([...alarms])('has the alarm %s and its runbook', (name, { AlarmDescription }) => {
    const [runbook = 'none'] = /runbooks\/[\w-]+\.md$/.exec(AlarmDescription) ?? [];
    expect(rowOf(name)).toContain(`(${runbook})`);
  });

  it.each([
    ['server-errors', `${stages.prod.alarms.serverErrorPercent} %`],
    ['latency-p99', `${stages.prod.alarms.latencyP99Ms.toLocaleString('en')} ms`],
    ['get-application-errors', `${stages.prod.alarms.functionErrors}`],
    ['get-application-throttles', `${stages.prod.alarms.functionThrottles}`],
    ['throttled-requests', `${stages.prod.alarms.throttledPercent} %`],
    ['table-throttles', `${stages.prod.alarms.tableThrottles}`],
    ['table-system-errors', `${stages.prod.alarms.tableErrors}`],
    ['event-age', `${stages.prod.alarms.eventAgeMinutes} minutes`],
  ])('has the threshold of %s in production, %s', (name, threshold) => {
    expect(rowOf(name).split(' | ')[1]).toMatch(new RegExp(`^${threshold}\\b|^${threshold}( |$)`));
  });

  it('counts what CloudWatch bills', () => {
    const perFunction = Object.values(operations);
    const outcomes = perFunction.reduce((sum, { problems }) => sum + 1 + problems.length, 0);
    const metrics = outcomes + 2 * perFunction.length + jobStatuses.length + 1;
    const observing = [...alarms.values()].reduce(
      (sum, { Metrics }) => sum + (Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1),
      0,
    );
    expect(page).toContain(`at most ${metrics}: ${outcomes} outcomes`);
    expect(page).toContain(`| at most ${dollars(metrics * 0.3)} |`);
    expect(page).toContain(`${observing} metrics in ${alarms.size} alarms`);
    expect(page).toContain(`| ${dollars(observing * 0.1)} |`);
    expect(page).toContain(`costs ${dollars(3 + observing * 0.1)} USD`);
    expect(page).toContain(`at most ${dollars(3 + observing * 0.1 + metrics * 0.3)} USD`);
  });
});

describe('what the metrics add to a line', () => {
  const service = useService();
  beforeAll(() => service.table.put(applicationItem({})));

  it('is as long as the page says, with the longest name of a function', async () => {
    await service.getApplication();
    service.log.take();
    await service.getApplication();
    const [{ _aws, function_name, requests, ...line } = {}] = service.log.lines;
    const full = { ...line, function_name: 'f'.repeat(64), requests, _aws };
    const added = JSON.stringify(full).length - JSON.stringify(line).length;
    expect(page).toContain(`${added} bytes more in each line`);
    expect(page).toContain(`| ${dollars((added * 1e6 * 0.5) / 1e9)} for a million requests |`);
  });
});
