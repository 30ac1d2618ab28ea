import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import {
  deployments,
  monitoredStages,
  movedFiles,
  restoredTable,
} from '../../support/deployments.ts';
import { nameOf, propertiesOf, templateOf, textOf } from '../../support/stack.ts';

interface Statement {
  Effect: string;
  Principal?: Record<string, unknown> | string;
  Action: string | string[];
  Resource?: unknown;
  Condition?: Record<string, Record<string, unknown>>;
  [element: string]: unknown;
}

const statementsOf = (document: unknown) => (document as { Statement: Statement[] }).Statement;

/** Format: `principal may action and action on resource if condition`. */
function lineOf({ Effect, Principal, Action, Resource = 'this', Condition }: Statement): string {
  const conditions = Object.entries(Condition ?? {}).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, value]) => `${key} ${operator} ${textOf(value)}`),
  );
  const principal = typeof Principal === 'object' ? Object.values(Principal) : [Principal ?? ''];
  const verb = Effect === 'Allow' ? 'may' : 'may not';
  const condition = conditions.length > 0 ? ` if ${conditions.join(' and ')}` : '';
  return `${textOf(principal)} ${verb} ${textOf(Action)} on ${textOf(Resource)}${condition}`.trim();
}

function allPolicies(template: Template): string[] {
  const resources: Record<string, { Properties: Record<string, unknown> }> =
    template.toJSON().Resources;
  const ofResources = Object.entries(resources).flatMap(([id, { Properties: it = {} }]) =>
    ['AssumeRolePolicyDocument', 'KeyPolicy', 'PolicyDocument'].flatMap((name) =>
      it[name] === undefined
        ? []
        : statementsOf(it[name]).map((each) => `${nameOf(id)}: ${lineOf(each)}`),
    ),
  );
  const managed = propertiesOf(template, 'AWS::IAM::Role').flatMap(
    ({ ManagedPolicyArns: arns = [], Policies: inline = [] }) =>
      [arns, inline].flat().map((it) => `a role has ${textOf(it)}`),
  );
  const invocations = propertiesOf(template, 'AWS::Lambda::Permission').map(
    (it) =>
      `${textOf(it.FunctionName)}: ${it.Principal} may ${it.Action} from ${textOf(it.SourceArn)}`,
  );
  return [...ofResources, ...managed, ...invocations];
}

it('the permissions of production are those of permissions.txt (`npm run generate` writes it)', async () => {
  const all = allPolicies(templateOf({ stage: 'prod' }));
  const { region, restoredTableStream } = restoredTable('prod');
  const usual = allPolicies(templateOf({ stage: 'prod', region }));
  const additions = [movedFiles, { restoredTableStream }].flatMap((keys) => [
    '',
    `With ${Object.keys(keys).join(' and ')}:`,
    ...allPolicies(templateOf({ stage: 'prod', region, ...keys })).filter(
      (it) => !usual.includes(it),
    ),
  ]);
  await expect([...all, ...additions, ''].join('\n')).toMatchFileSnapshot('permissions.txt');
});

describe.each(deployments)('the permissions of %s', (_, context) => {
  const template = templateOf(context);

  it('equal those of production, except for the stage, a restored table, a KMS key and alarms', () => {
    const prod = templateOf({
      ...context,
      ...(context.restoredTableStream && restoredTable('prod')),
      stage: 'prod',
    });
    const own = allPolicies(template).map((line) => line.replaceAll(`-${context.stage}`, '-prod'));
    const isMonitored = monitoredStages.some((name) => name === context.stage);
    const mayDiffer = (line: string) =>
      /^RollOut|CodeDeploy/.test(line) ||
      (!isMonitored && /^(EncryptionKey|Observability)|EncryptionKey\.Arn/.test(line));
    expect(own.filter((line) => !mayDiffer(line))).toEqual(
      allPolicies(prod).filter((line) => !mayDiffer(line)),
    );
    for (const type of ['AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy']) {
      template.resourceCountIs(type, 0);
    }
  });
});
