// Writes the tables of docs/reference/ from the synthesized templates.
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import schema from '../../../infra/settings/stage.schema.json' with { type: 'json' };
import { queries } from '../../../infra/stack/observability/queries.ts';
import { constructIdOf } from '../../../infra/stack/recruitment-stack.ts';
import { propertiesOf, textOf } from '../../support/stack.ts';
import {
  type AlarmProperties,
  alarmsOf,
  compositesOf,
  readMetrics,
  rollbackIds,
} from './observability/alarms.ts';
import { type Result, timesADay } from './observability/scenarios.ts';

/** Returns a Markdown table without padding, so that a change of one row changes one line of the diff. */
function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (it: unknown) => String(it).replaceAll('|', '\\|');
  return [head, head.map(() => '-'), ...rows]
    .map((row) => `|${row.map(cell).join('|')}|`)
    .join('\n');
}

/** Returns the table of the settings that the schema defines. */
export const settingsTable = () =>
  table(
    ['setting', 'meaning', 'default'],
    Object.entries(contextKeys).map(([key, { description, ...its }]) => [
      `\`${key}\``,
      description,
      its.default ?? (schema.required.includes(key) ? 'required' : ''),
    ]),
  );

/** Returns the table of the saved queries: the first line of the comment, and the text of the query. */
export const queryTable = () =>
  table(
    ['query', 'shows', 'text'],
    Object.entries(queries).map(([name, query]) => {
      const lines = query.split('\n');
      const comment = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
      const text = lines.filter((line) => !line.startsWith('#')).join(' ');
      return [`\`${name}\``, comment[0], `\`${text}\``];
    }),
  );

/** Returns the pages of docs/reference/ with the given tables between the markers. */
export function pagesWith(
  sections: Readonly<Record<string, (page: string) => string>>,
): Map<string, string> {
  const pages = globSync('docs/reference/*.md');
  const found = new Set<string>();
  const written = pages.flatMap((page): [string, string][] => {
    const text = readFileSync(page, 'utf8');
    const result = text.replace(
      /(<!-- (\S+): npm run generate -->\n)[\s\S]*?(<!-- end -->)/g,
      (whole, begin: string, name: string, end: string) => {
        found.add(name);
        // Two tests write tables. Each leaves the other test's tables unchanged.
        return sections[name] ? `${begin}${sections[name](page)}\n${end}` : whole;
      },
    );
    return [[page, result]];
  });
  const missing = Object.keys(sections).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`No page has the section ${missing.join(', ')}.`);
  return new Map(written);
}

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
export function alarmTable(template: Template, page: string): string {
  const rollback = rollbackIds(template);
  const composites = [...compositesOf(template).values()];
  const nameOfId = new Map([...alarmsOf(template)].map(([name, { id }]) => [id, name]));
  const isPart = ({ id }: AlarmProperties) => composites.some(({ rule }) => rule.includes(id));
  const compositeRows = [...compositesOf(template)].map(([name, { rule, AlarmDescription }]) => [
    `\`${name}\``,
    `\`${rule.replace(/\w+/g, (word) => nameOfId.get(word) ?? word)}\``,
    ...['', '', '', ''],
    runbookOf(AlarmDescription, page),
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
      runbookOf(alarm.AlarmDescription, page),
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
  const { alarms, metrics } = alarmCount(template);
  const count = `The ${alarms} alarms read ${metrics} metrics. There is also ${composites.length} composite alarm.`;
  return `${table(head, [...unique.values()])}\n\n${count}`;
}

/** Returns a link from a page to the runbook section that the description of an alarm names. */
function runbookOf(description: string, page: string): string {
  const [, path = '', anchor = ''] =
    /(docs\/runbooks\/[\w-]+\.md)(#[\w-]+)?$/.exec(description) ?? [];
  return `[${anchor || path.replace(/.*\//, '')}](${relative(dirname(page), path)}${anchor})`;
}

/** Counts the alarms, the composite alarms, and the metrics that the alarms read. CloudWatch bills the metrics. */
export function alarmCount(template: Template) {
  const alarms = [...alarmsOf(template).values()];
  const metrics = alarms.reduce((sum, it) => sum + Object.keys(readMetrics(it).metrics).length, 0);
  return { alarms: alarms.length, metrics, composites: compositesOf(template).size };
}

/** Returns the table of the metrics that metric filters count in the logs. */
export const metricTable = (template: Template): string => {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter');
  const rows = filters.map(({ LogGroupName: log, FilterPattern, MetricTransformations }) => {
    const [{ MetricName, Dimensions = [], DefaultValue = '' } = {}] = MetricTransformations as {
      MetricName?: string;
      Dimensions?: { Key: string; Value: string }[];
      DefaultValue?: number;
    }[];
    const dimensions = Dimensions.map(({ Key, Value }) =>
      Value === `$.${Key}` ? Key : `${Key} ${Value}`,
    );
    return [
      `\`${MetricName}\``,
      `\`${ofAnyOperation(textOf(log))}\``,
      `\`${FilterPattern}\``,
      dimensions.join(', '),
      DefaultValue,
    ];
  });
  const unique = new Map(rows.map((row) => [row.join('|'), row]));
  return table(
    ['metric', 'log', 'counted log lines', 'dimensions', 'otherwise'],
    [...unique.values()],
  );
};

/** Returns the leaves of a property with their paths, except values that CloudFormation resolves later. */
function leavesOf(value: unknown, path: string): [path: string, value: string][] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, path));
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  const members = Object.entries(value);
  if (members.some(([name]) => /^(Ref|Fn::)/.test(name))) return [];
  return members.flatMap(([name, each]) => leavesOf(each, `${path}.${name}`));
}

/** Resource types whose properties stand in other tables or snapshots. */
const ELSEWHERE =
  /^AWS::(CloudWatch|CodeDeploy::Application|IAM|Lambda::Permission|Logs::(MetricFilter|QueryDefinition)|SNS::TopicPolicy|SQS::QueuePolicy)/;
/** Properties that are names or texts, or that stand in other tables or snapshots. */
const NOT_A_NUMBER =
  /Tags|Description|KeyPolicy|\.Variables\.|VerificationMessageTemplate|(?<!Config|Scope)Name$|\.(\w*Message|\w*Subject|S3Key|Identifier|RouteKey|CertificateArn|ResponseParameters|Pattern|InputTemplate|Handler|AttributeType|KeyType|ProtocolType)$/;

/**
 * Returns a table of the properties that differ between the stages, and one line for each other property. The line names the
 * stages that have the property, unless all stages have it.
 */
export function stageTable(stages: ReadonlyMap<string, Template>): { table: string; same: string } {
  const rows = new Map<string, Set<string>[]>();
  const put = (path: string, column: number, value: string) => {
    const cells = rows.get(path) ?? [...stages].map(() => new Set<string>());
    rows.set(path, cells);
    cells[column]?.add(value);
  };
  [...stages.values()].forEach((template, column) => {
    const resources: Record<
      string,
      { Type: string; DeletionPolicy?: string; Properties?: object }
    > = template.toJSON().Resources;
    for (const { Type, DeletionPolicy, Properties } of Object.values(resources)) {
      if (ELSEWHERE.test(Type)) continue;
      const leaves = leavesOf(
        { ...Properties, ...(DeletionPolicy && { DeletionPolicy }) },
        Type.replace(/.*::/, ''),
      );
      for (const [path, value] of leaves) if (!NOT_A_NUMBER.test(path)) put(path, column, value);
    }
    for (const [name, alarm] of alarmsOf(template))
      put(`alarm \`${ofAnyOperation(name)}\``, column, `${limitOf(alarm)}, ${timingOf(alarm)}`);
  });
  const names = [...stages.keys()];
  const lines = [...rows]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, cells]) => {
      const its = names.filter((_, column) => cells[column]?.size);
      const texts = cells.map((it) => [...it].join(', '));
      const values = new Set(texts.filter((_, column) => cells[column]?.size));
      return { path, its, texts, value: values.size === 1 ? [...values].join() : undefined };
    });
  const same = lines.flatMap(({ path, its, value }) => {
    if (value === undefined) return [];
    const stagesWithIt = its.length === names.length ? '' : ` (${its.join(', ')})`;
    return [`${path} ${value || '""'}${stagesWithIt}\n`];
  });
  const different = lines.filter(({ value }) => value === undefined);
  return {
    table: table(
      ['property', ...names],
      different.map(({ path, texts }) => [path, ...texts]),
    ),
    same: same.join(''),
  };
}

/** Resource types that hold data, or have an address that other systems use. A new logical id would replace the resource. */
const KEPT =
  /::(Table|Key|UserPool|UserPoolClient|UserPoolDomain|EventBus|Archive|Queue|LogGroup|Api|DomainName|Topic)$/;

/** Returns the table of the logical ids that must not change. */
export function idTable(template: Template): string {
  const resources: Record<string, { Type: string }> = template.toJSON().Resources;
  const kept = Object.entries(resources).filter(([, { Type }]) => KEPT.test(Type));
  const byType = Map.groupBy(kept, ([, { Type }]) => Type.replace('AWS::', ''));
  return table(
    ['type', 'logical ids'],
    [...byType].map(([type, all]) => [type, all.map(([id]) => id).join(', ')]),
  );
}

/** Returns the table of the simulated faults: which alarms notice a fault, in how many runs, and after how many minutes. */
export const scenarioTable = (results: readonly Result[]): string =>
  table(
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
