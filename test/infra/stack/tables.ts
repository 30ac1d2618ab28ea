// The tables of pages that are written from the synthesized templates.
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

/** Without padding, so that a row is a row in a diff. */
function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (it: unknown) => String(it).replaceAll('|', '\\|');
  return [head, head.map(() => '-'), ...rows]
    .map((row) => `|${row.map(cell).join('|')}|`)
    .join('\n');
}

/** The keys of a stage's settings, as the schema has them. */
export const settingsTable = () =>
  table(
    ['key', 'meaning', 'default'],
    Object.entries(contextKeys).map(([key, { description, ...its }]) => [
      `\`${key}\``,
      description,
      its.default ?? (schema.required.includes(key) ? 'must be stated' : ''),
    ]),
  );

/** The saved queries: the comment that says what each shows, and its commands. */
export const queryTable = () =>
  table(
    ['query', 'shows', 'commands'],
    Object.entries(queries).map(([name, query]) => {
      const lines = query.split('\n');
      const comment = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
      const commands = lines.filter((line) => !line.startsWith('#')).join(' ');
      return [`\`${name}\``, comment[0], `\`${commands}\``];
    }),
  );

/** Replaces the marked sections of every page of the project. */
export function pagesWith(
  sections: Readonly<Record<string, (page: string) => string>>,
): Map<string, string> {
  const pages = globSync('{*.md,docs/**/*.md}');
  const found = new Set<string>();
  const written = pages.flatMap((page): [string, string][] => {
    const text = readFileSync(page, 'utf8');
    const result = text.replace(
      /(<!-- (\S+): npm run generate -->\n)[\s\S]*?(<!-- end -->)/g,
      (whole, begin: string, name: string, end: string) => {
        found.add(name);
        // Another test writes a section that is not given.
        return sections[name] ? `${begin}${sections[name](page)}\n${end}` : whole;
      },
    );
    return text.includes(': npm run generate -->') ? [[page, result]] : [];
  });
  const missing = Object.keys(sections).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`No page has the section ${missing.join(', ')}.`);
  return new Map(written);
}

/** The same text for each operation, so that the rows of operations are one. */
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

/** Each alarm: what it reads, when it goes to ALARM, and where the runbook is. */
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
  const head = ['alarm', 'reads', 'dimensions', 'ALARM if', 'for', 'missing data', 'runbook'];
  const { alarms, metrics } = alarmCount(template);
  const count = `${metrics} metrics in ${alarms} alarms, and ${composites.length} composite alarm.`;
  return `${table(head, [...unique.values()])}\n\n${count}`;
}

/** A link from a page to the runbook that the text of an alarm names. */
function runbookOf(description: string, page: string): string {
  const [, path = '', anchor = ''] =
    /(docs\/runbooks\/[\w-]+\.md)(#[\w-]+)?$/.exec(description) ?? [];
  return `[${anchor || path.replace(/.*\//, '')}](${relative(dirname(page), path)}${anchor})`;
}

/** How many alarms there are, and how many metrics they read, which CloudWatch bills. */
export function alarmCount(template: Template) {
  const alarms = [...alarmsOf(template).values()];
  const metrics = alarms.reduce((sum, it) => sum + Object.keys(readMetrics(it).metrics).length, 0);
  return { alarms: alarms.length, metrics, composites: compositesOf(template).size };
}

/** The metrics that the filters of the logs make. */
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
  return table(['metric', 'log', 'lines that count', 'dimensions', 'else'], [...unique.values()]);
};

/** The leaves of a property, by their paths; what CloudFormation resolves later is not one. */
function leavesOf(value: unknown, path: string): [path: string, value: string][] {
  if (Array.isArray(value)) return value.flatMap((each) => leavesOf(each, path));
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  const members = Object.entries(value);
  if (members.some(([name]) => /^(Ref|Fn::)/.test(name))) return [];
  return members.flatMap(([name, each]) => leavesOf(each, `${path}.${name}`));
}

/** Types whose properties other tables or tests of the stack show. */
const ELSEWHERE =
  /^AWS::(CloudWatch|CodeDeploy::Application|IAM|Lambda::Permission|Logs::(MetricFilter|QueryDefinition)|SNS::TopicPolicy|SQS::QueuePolicy)/;
/** Properties that are names or texts, or that other tests of the stack show. */
const NOT_A_NUMBER =
  /Tags|Description|KeyPolicy|\.Variables\.|VerificationMessageTemplate|(?<!Config|Scope)Name$|\.(\w*Message|\w*Subject|S3Key|Identifier|RouteKey|CertificateArn|ResponseParameters|Pattern|InputTemplate|Handler|AttributeType|KeyType|ProtocolType)$/;

/**
 * The properties of all resources: a table of those that differ between the stages, and lines of the others, which name
 * the stages that have the property unless all have it.
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
      ['', ...names],
      different.map(({ path, texts }) => [path, ...texts]),
    ),
    same: same.join(''),
  };
}

/** What holds data or an address that others know: another logical id replaces it, and what it holds is gone. */
const KEPT =
  /::(Table|Key|UserPool|UserPoolClient|UserPoolDomain|EventBus|Archive|Queue|LogGroup|Api|DomainName|Topic)$/;

export function idTable(template: Template): string {
  const resources: Record<string, { Type: string }> = template.toJSON().Resources;
  const kept = Object.entries(resources).filter(([, { Type }]) => KEPT.test(Type));
  const byType = Map.groupBy(kept, ([, { Type }]) => Type.replace('AWS::', ''));
  return table(
    ['type', 'logical ids'],
    [...byType].map(([type, all]) => [type, all.map(([id]) => id).join(', ')]),
  );
}

/** Which alarms notice which fault, in how many draws, after how many minutes, and how often a day. */
export const scenarioTable = (results: readonly Result[]): string =>
  table(
    ['fault', 'rate', 'noticed', 'minutes', 'a day', 'alarms', ''],
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
