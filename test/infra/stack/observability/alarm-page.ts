// Writes the tables of docs/reference/alarms.md from the synthesized template.
import { dirname, relative } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { operationNames, operations } from '../../../../functions/operations/operations.ts';
import { constructIdOf } from '../../../../infra/stack/recruitment-stack.ts';
import { markdownTable } from '../../../support/pages.ts';
import { textOf } from '../../../support/stack.ts';
import {
  type AlarmProperties,
  alarmsOf,
  compositesOf,
  readMetrics,
  rollbackIds,
} from './alarms.ts';
import { type Result, timesADay } from './scenarios.ts';

export const ALARM_PAGE = 'docs/reference/alarms.md';

/** Replaces the name of an operation by a placeholder, so that equal rows of both operations become one row. */
const ofAnyOperation = (text: string) =>
  operationNames.reduce(
    (result, name) =>
      result
        .replaceAll(name, '<operation>')
        .replaceAll(operations[name].operationId, '<operation>')
        .replaceAll(constructIdOf(name), '<operation>'),
    text,
  );

const periodOf = (alarm: AlarmProperties) =>
  Object.values(readMetrics(alarm).metrics)[0]?.Period ?? 0;
const limitOf = ({ ComparisonOperator: operator, Threshold: threshold }: AlarmProperties) =>
  `${operator === 'LessThanThreshold' ? '<' : '>'} ${threshold}`;
const timingOf = (alarm: AlarmProperties) =>
  `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods} × ${periodOf(alarm)} s`;

/** Returns the table of the alarms: what an alarm reads, when it goes to ALARM, and which runbook section helps. */
export function alarmTable(template: Template): string {
  const rollback = rollbackIds(template);
  const composites = [...compositesOf(template).values()];
  const nameOfId = new Map([...alarmsOf(template)].map(([name, { id }]) => [id, name]));
  const isPart = ({ id }: AlarmProperties) => composites.some(({ rule }) => rule.includes(id));
  const compositeRows = [...compositesOf(template)].map(([name, { rule, AlarmDescription }]) => [
    `\`${name}\``,
    `\`${rule.replace(/\w+/g, (word) => nameOfId.get(word) ?? word)}\``,
    ...['', '', '', ''],
    runbookOf(AlarmDescription),
  ]);
  const rows = [...alarmsOf(template)].map(([name, alarm]) => {
    const { expression, metrics } = readMetrics(alarm);
    const all = Object.entries(metrics);
    const read = all.map(([id, { Metric: it, Stat: statistic }]) => {
      const what = `${it.MetricName} ${statistic}`;
      return all.length === 1 ? what : `${id} = ${what}`;
    });
    const dimensions = all.flatMap(([, { Metric: it }]) =>
      (it.Dimensions ?? []).map(({ Name, Value }) => `${Name} ${textOf(Value)}`),
    );
    const mark = rollback.has(alarm.id) ? ' ↩' : isPart(alarm) ? ' ∈' : '';
    return [
      `\`${name}\`${mark}`,
      [...(all.length === 1 ? [] : [`\`${expression}\``]), ...read].join(', '),
      dimensions.length > 0 ? `\`${[...new Set(dimensions)].join(', ')}\`` : '',
      limitOf(alarm),
      timingOf(alarm),
      alarm.TreatMissingData,
      runbookOf(alarm.AlarmDescription),
    ].map((it) => ofAnyOperation(it));
  });
  const unique = new Map([...compositeRows, ...rows].map((row) => [row.join('|'), row]));
  const head = [
    'alarm',
    'metrics',
    'dimensions',
    'breaching if',
    'ALARM after',
    'missing data',
    'runbook',
  ];
  const alarms = [...alarmsOf(template).values()];
  const metrics = alarms.flatMap((it) => Object.keys(readMetrics(it).metrics)).length;
  const count = `The ${alarms.length} alarms read ${metrics} metrics. There is also ${composites.length} composite alarm.`;
  return `${markdownTable(head, [...unique.values()])}\n\n${count}`;
}

/** Returns a link from the page to the runbook section that the description of an alarm names. */
function runbookOf(description: string): string {
  const [, path = '', anchor = ''] =
    /(docs\/runbooks\/[\w-]+\.md)(#[\w-]+)?$/.exec(description) ?? [];
  return `[${anchor || path.replace(/.*\//, '')}](${relative(dirname(ALARM_PAGE), path)}${anchor})`;
}

/** Returns the table of the simulated faults: which alarms notice a fault, in how many runs, and after how many minutes. */
export const scenarioTable = (results: readonly Result[]): string =>
  markdownTable(
    ['fault', 'rate', 'noticed', 'minutes', 'ALARMs a day', 'alarms', 'remark'],
    results.map((result) => {
      const { scenario, draws } = result;
      const noticed = draws.filter((notices) => notices.length > 0);
      const minutes = noticed
        .map((notices) => Math.min(...notices.map((it) => it.minutes)))
        .toSorted((one, other) => one - other);
      const names = Map.groupBy(draws.flat(), ({ alarm }) => alarm);
      const most = [...names].toSorted(([, one], [, other]) => other.length - one.length);
      return [
        scenario.fault,
        scenario.rate,
        `${Math.round((100 * noticed.length) / draws.length)} %`,
        minutes.length > 0 ? `${minutes[Math.floor(minutes.length / 2)]}, ${minutes.at(-1)}` : '',
        timesADay(result).toFixed(1),
        most.map(([alarm]) => `\`${alarm}\``).join(', '),
        scenario.remark ?? '',
      ];
    }),
  );
