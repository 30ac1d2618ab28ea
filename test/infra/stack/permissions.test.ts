// What every identity and every resource policy of the stack allows.
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { constructIdOf } from '../../../infra/stack/recruitment-stack.ts';
import { deployments, restoredStream } from '../../support/deployments.ts';
import { nameOf, propertiesOf, templateOf, textOf } from '../../support/stack.ts';

interface Statement {
  Effect: string;
  Principal?: Record<string, unknown> | string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
  [element: string]: unknown;
}

const statementsOf = (document: unknown) => (document as { Statement: Statement[] }).Statement;

/** A statement as a line: `may action and action on resource if condition`. */
function lineOf({ Effect, Principal, Action, Resource, Condition = {} }: Statement): string {
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, value]) => `${key} ${operator} ${textOf(value)}`),
  );
  const principal = Principal === undefined ? '' : `${principalOf(Principal)} `;
  const verb = Effect === 'Allow' ? 'may' : 'may not';
  const condition = conditions.length > 0 ? ` if ${conditions.join(' and ')}` : '';
  return `${principal}${verb} ${textOf(Action)} on ${textOf(Resource)}${condition}`;
}

const principalOf = (principal: Record<string, unknown> | string) =>
  typeof principal === 'string' ? principal : Object.values(principal).map(textOf).join(' and ');

/** The statements of the policies of roles, by role. */
function rolePolicies(template: Template): Record<string, string[]> {
  return Object.fromEntries(
    propertiesOf(template, 'AWS::IAM::Policy').map(({ Roles: roles, PolicyDocument: it }) => [
      textOf(roles),
      statementsOf(it).map(lineOf),
    ]),
  );
}

const THROUGH_DYNAMODB = 'if kms:ViaService StringEquals dynamodb.AWS::Region.amazonaws.com';

/** The constructs of the functions, each with the one action of DynamoDB that its method calls for. */
const functions = operationNames.map((name) => ({
  id: constructIdOf(name),
  action: { GET: 'GetItem', PATCH: 'UpdateItem' }[operations[name].method],
}));

const FILES_KEY = 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012';
const FILES =
  'may s3:GetObject on arn:AWS::Partition:s3:::example-files/* ' +
  'if aws:ResourceAccount StringEquals AWS::AccountId';
const DECRYPT_FILES =
  `may kms:Decrypt on ${FILES_KEY} ` +
  'if kms:ViaService StringEquals s3.AWS::Region.amazonaws.com';

const functionMay = (id: string, action: string) => [
  `may logs:CreateLogStream and logs:PutLogEvents on ${id}Logs.Arn`,
  `may dynamodb:${action} on StorageTable.Arn`,
  `may kms:Decrypt on EncryptionKey.Arn ${THROUGH_DYNAMODB}`,
];

describe('the permissions of production', () => {
  const template = templateOf({ stage: 'prod' });

  it('are, of each role, what it needs', () => {
    expect(rolePolicies(template)).toEqual({
      ...Object.fromEntries(
        functions.map(({ id, action }) => [`${id}Role`, functionMay(id, action)]),
      ),
      EventsPipeRole: [
        'may dynamodb:DescribeStream and dynamodb:GetRecords and dynamodb:GetShardIterator on ' +
          'StorageTable.StreamArn',
        `may kms:Decrypt on EncryptionKey.Arn ${THROUGH_DYNAMODB}`,
        'may events:PutEvents on EventsBus.Arn',
        'may sqs:SendMessage on EventsDeadLetters.Arn',
      ],
    });
  });

  it('include both tables if one was restored, for versions that still use the other', () => {
    const restored = templateOf({ stage: 'prod', restoredTableStream: restoredStream('prod') });
    const table = 'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod';
    const policies = rolePolicies(restored);
    for (const { id, action } of functions) {
      expect(policies[`${id}Role`]).toContain(
        `may dynamodb:${action} on ${table} and StorageTable.Arn`,
      );
    }
    expect(policies.EventsPipeRole?.[0]).toContain(restoredStream('prod'));
  });

  it.each([
    [{}, [FILES]],
    [{ filesKey: FILES_KEY }, [FILES, DECRYPT_FILES]],
  ])('let the reading function alone read a bucket of files, with %j', (key, additions) => {
    const { GetApplicationRole = [], ...others } = rolePolicies(template);
    const settings = { stage: 'prod', filesBucket: 'example-files', ...key };
    expect(rolePolicies(templateOf(settings))).toEqual({
      ...others,
      GetApplicationRole: [...GetApplicationRole, ...additions],
    });
  });

  it('let each role be assumed by one service, for this stack', () => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role')).map(
      ([id, { Properties: it }]) => {
        const [statement, ...others] = statementsOf(it.AssumeRolePolicyDocument);
        expect(others).toEqual([]);
        return [nameOf(id), statement && lineOf({ ...statement, Resource: 'this' })];
      },
    );
    const from = (arn: string) =>
      `may sts:AssumeRole on this if aws:SourceAccount StringEquals AWS::AccountId and ` +
      `aws:SourceArn ArnLike arn:AWS::Partition:${arn}`;
    expect(Object.fromEntries(roles)).toEqual({
      ...Object.fromEntries(
        functions.map(({ id }) => [`${id}Role`, 'lambda.amazonaws.com may sts:AssumeRole on this']),
      ),
      EventsPipeRole: `pipes.amazonaws.com ${from('pipes:AWS::Region:AWS::AccountId:pipe/*')}`,
      RollOutRole: `codedeploy.amazonaws.com ${from(
        'codedeploy:AWS::Region:AWS::AccountId:deploymentgroup:RollOutApplication/*',
      )}`,
    });
  });

  it('let the API alone invoke the functions, by their aliases', () => {
    const aliases = Object.keys(template.findResources('AWS::Lambda::Alias'));
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(permissions.map(({ FunctionName: it }) => it)).toEqual(aliases.map((Ref) => ({ Ref })));
    for (const { Principal: principal, SourceArn: source } of permissions) {
      expect(principal).toBe('apigateway.amazonaws.com');
      expect(textOf(source)).toMatch(/:HttpApi\/\*\/\*\/v1\/jobs\//);
    }
  });

  it('let the account, the logs and the alarms use the key', () => {
    const [{ KeyPolicy: policy } = {}] = propertiesOf(template, 'AWS::KMS::Key');
    const logs =
      'kms:EncryptionContext:aws:logs:arn ArnLike arn:AWS::Partition:logs:AWS::Region:AWS::AccountId:log-group:RecruitmentService-prod-*';
    expect(statementsOf(policy).map(lineOf)).toEqual([
      'arn:AWS::Partition:iam::AWS::AccountId:root may kms:* on *',
      `logs.AWS::Region.amazonaws.com may kms:Decrypt and kms:DescribeKey and kms:Encrypt and kms:GenerateDataKey* and kms:ReEncrypt* on * if ${logs}`,
      `cloudwatch.amazonaws.com may kms:Decrypt and kms:GenerateDataKey* on * if ${OF_OWN_ALARMS}`,
    ]);
  });

  it('let the alarms of this stack publish to the topic, over TLS only', () => {
    const [{ PolicyDocument: policy } = {}] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const topic = 'ObservabilityAlarmTopic';
    expect(statementsOf(policy).map(lineOf)).toEqual([
      `* may not sns:Publish on ${topic} if aws:SecureTransport Bool false`,
      `cloudwatch.amazonaws.com may sns:Publish on ${topic} if ${OF_OWN_ALARMS}`,
    ]);
  });

  it('deny every use of the dead-letter queue without TLS', () => {
    const [{ PolicyDocument: policy } = {}, ...others] = propertiesOf(
      template,
      'AWS::SQS::QueuePolicy',
    );
    expect(others).toEqual([]);
    expect(statementsOf(policy).map(lineOf)).toEqual([
      '* may not sqs:* on EventsDeadLetters.Arn if aws:SecureTransport Bool false',
    ]);
  });
});

const OF_OWN_ALARMS =
  'aws:SourceAccount StringEquals AWS::AccountId and aws:SourceArn ArnLike ' +
  'arn:AWS::Partition:cloudwatch:AWS::Region:AWS::AccountId:alarm:RecruitmentService-prod-*';

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
      if (lineOf(statement) !== FILES) expect(lineOf(statement)).not.toMatch(/[*?]/);
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
