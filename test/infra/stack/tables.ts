// Writes the tables of docs/reference/ from the synthesized templates.
import { globSync, readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import schema from '../../../infra/settings/stage.schema.json' with { type: 'json' };

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
