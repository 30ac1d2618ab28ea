// What every identity and every resource policy of the stack allows.
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { deployments, restoredStream } from '../../support/deployments.ts';
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

/** A statement as a line: `principal may action and action on resource if condition`. */
function lineOf({ Effect, Principal, Action, Resource = 'this', Condition }: Statement): string {
  const conditions = Object.entries(Condition ?? {}).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, value]) => `${key} ${operator} ${textOf(value)}`),
  );
  const principal = typeof Principal === 'object' ? Object.values(Principal) : [Principal ?? ''];
  const verb = Effect === 'Allow' ? 'may' : 'may not';
  const condition = conditions.length > 0 ? ` if ${conditions.join(' and ')}` : '';
  return `${textOf(principal)} ${verb} ${textOf(Action)} on ${textOf(Resource)}${condition}`.trim();
}

/** The statements of the policies of roles, by role. */
const rolePolicies = (template: Template): Record<string, string[]> =>
  Object.fromEntries(
    propertiesOf(template, 'AWS::IAM::Policy').map(({ Roles: roles, PolicyDocument: it }) => [
      textOf(roles),
      statementsOf(it).map(lineOf),
    ]),
  );

/** All statements, by what has them: roles, who may assume them, and the policies of resources. */
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
  const invocations = propertiesOf(template, 'AWS::Lambda::Permission').map(
    (it) =>
      `${textOf(it.FunctionName)}: ${it.Principal} may ${it.Action} from ${textOf(it.SourceArn)}`,
  );
  return [...ofResources, ...invocations];
}

it('the permissions of production are those of permissions.txt (`npm run tables` writes it)', async () => {
  const filesKey = 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012';
  const all = allPolicies(templateOf({ stage: 'prod' }));
  const additions = [
    { filesBucket: 'example-files', filesKey },
    { restoredTableStream: restoredStream('prod') },
  ].flatMap((key) => {
    const others = allPolicies(templateOf({ stage: 'prod', ...key }));
    return [
      '',
      `With ${Object.keys(key).join(' and ')}:`,
      ...others.filter((it) => !all.includes(it)),
    ];
  });
  await expect([...all, ...additions, ''].join('\n')).toMatchFileSnapshot('permissions.txt');
});

describe.each(deployments)('the permissions of %s', (_, context) => {
  const template = templateOf(context);

  it('are those of production, for the stage, but for a restored table', () => {
    const prod = rolePolicies(
      templateOf({
        ...context,
        ...(context.restoredTableStream && { restoredTableStream: restoredStream('prod') }),
        stage: 'prod',
      }),
    );
    const text = JSON.stringify(rolePolicies(template));
    expect(text.replaceAll(`restored-${context.stage}`, 'restored-prod')).toBe(
      JSON.stringify(prod),
    );
  });

  it('have no wildcard but for the keys of the files, and only allow', () => {
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument: it }) => statementsOf(it),
    );
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement.Effect).toBe('Allow');
      expect(statement).not.toHaveProperty('NotAction');
      expect(statement).not.toHaveProperty('NotResource');
      expect(lineOf(statement).replace(/s3:::example-files\/\* if aws:Res/, '')).not.toMatch(
        /[*?]/,
      );
    }
  });

  it("have no inline or managed policies in roles, but AWS's own for CodeDeploy", () => {
    for (const type of ['AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy']) {
      template.resourceCountIs(type, 0);
    }
    const roles = Object.entries(template.findResources('AWS::IAM::Role'));
    for (const [id, { Properties: role }] of roles) {
      expect(role).not.toHaveProperty('Policies');
      const managed = (role.ManagedPolicyArns ?? []).map(textOf);
      expect(managed).toEqual(
        nameOf(id) === 'RollOutRole'
          ? ['arn:AWS::Partition:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited']
          : [],
      );
    }
  });
});
