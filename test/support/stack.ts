import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdk from '../../cdk.json' with { type: 'json' };
import { RecruitmentStack } from '../../infra/stack/recruitment-stack.ts';
import { readSettings } from '../../infra/stack/settings/read-settings.ts';

export const appOf = (context: Record<string, string> = {}): App =>
  new App({
    // No stack traces and no tree: they take time, and no test reads them.
    context: { ...cdk.context, 'aws:cdk:disable-stack-trace': true, ...context },
    treeMetadata: false,
    // Test files run in parallel and must not read each other's half-written templates.
    outdir: `dist/test-cdk.out/${process.env.VITEST_POOL_ID}`,
    builtinCloudFormationValidation: false,
  });

/** What a team sets in the files of its stages. Tests bring their own. */
export const answers = {
  issuer: 'cognito',
  tenantClaim: 'none',
  alarmEmail: 'none',
  region: 'any',
};

export const stackOf = (app: App): RecruitmentStack => {
  const settings = readSettings(app.node, answers);
  return new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });
};

const templates = new Map<string, Template>();

export function templateOf(context: Record<string, string> = {}): Template {
  const key = JSON.stringify(context);
  const template = templates.get(key) ?? Template.fromStack(stackOf(appOf(context)));
  templates.set(key, template);
  return template;
}

type Properties = Record<string, unknown>;

export const propertiesOf = (template: Template, type: string): Properties[] =>
  Object.values(template.findResources(type)).map((resource) => resource.Properties);

/**
 * Logical id of the only resource of this type whose id begins with `prefix`.
 * @throws Error if there is none, or more than one.
 */
export function idOf(template: Template, type: string, prefix = ''): string {
  const [id, ...others] = Object.keys(template.findResources(type)).filter((each) =>
    each.startsWith(prefix),
  );
  if (id === undefined || others.length > 0)
    throw new Error(`Not exactly one ${type} begins with "${prefix}".`);
  return id;
}

/** Writes a template's value as text, without the hashes of logical ids. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(' and ');
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (typeof Ref === 'string') return nameOf(Ref);
  if (Array.isArray(attribute)) return `${nameOf(String(attribute[0]))}.${attribute[1]}`;
  if (Array.isArray(join)) return (join[1] as unknown[]).map(textOf).join('');
  throw new Error(`This is not a value of a template: ${JSON.stringify(value)}.`);
}

/** Logical id without its hash; a function version's id has two hashes. */
export const nameOf = (id: string) => id.replace(/[0-9A-F]{8}([0-9a-f]{32})?$/, '');

export const externalIssuer = { issuer: 'https://login.example.com', audience: 'recruitment' };
