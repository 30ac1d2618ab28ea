// What the rule packs do not look at, asserted directly: cdk-nag knows some types of resources, and
// of those some properties.
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { deployments } from '../../support/deployments.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../../support/stack.ts';

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  [element: string]: unknown;
}

const resourcesOf = (template: Template) =>
  Object.entries<{ Type: string; Properties?: Record<string, unknown> }>(
    template.toJSON().Resources,
  );

const statementsOf = (document: unknown) => (document as { Statement: Statement[] }).Statement;

/** The statements of all policies of identities: inline in roles, beside them and managed. */
const identityStatements = (template: Template) => [
  ...['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'].flatMap((type) =>
    propertiesOf(template, type).flatMap(({ PolicyDocument: it }) => statementsOf(it)),
  ),
  ...propertiesOf(template, 'AWS::IAM::Role').flatMap(({ Policies: policies = [] }) =>
    (policies as { PolicyDocument: unknown }[]).flatMap((it) => statementsOf(it.PolicyDocument)),
  ),
];

const hasWildcard = ({ Action, Resource }: Statement) =>
  /[*?]/.test(JSON.stringify([Action, Resource]));

/** X-Ray has no resources that a policy could name. */
const ALLOWED_WILDCARD: Statement = {
  Effect: 'Allow',
  Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
  Resource: '*',
};

/** What the functions' roles have not; of the stack's own roles, CodeDeploy's alone. */
const ALLOWED_MANAGED_POLICY = {
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited',
    ],
  ],
};

/** Who may use the key, and by what that is bound. */
const USERS_OF_THE_KEY = [
  'cloudwatch: aws:SourceAccount, aws:SourceArn',
  'events: ',
  'events: aws:SourceAccount',
  'events: aws:SourceAccount, aws:SourceArn, kms:EncryptionContext:aws:events:event-bus:arn',
  'events: kms:EncryptionContext:aws:events:event-bus:arn',
  'logs: kms:EncryptionContext:aws:logs:arn',
  'root: ',
  'root: kms:ViaService',
];

describe.each(deployments)('%s', (_, context) => {
  const template = templateOf(context);
  const [keyId = ''] = Object.keys(template.findResources('AWS::KMS::Key'));
  const keyArn = { 'Fn::GetAtt': [keyId, 'Arn'] };

  it('has one table, of a type that cdk-nag knows, encrypted, restorable, expiring', () => {
    const tables = resourcesOf(template).filter(([, { Type }]) => /Table$/.test(Type));
    expect(tables.map(([, { Type }]) => Type)).toEqual(['AWS::DynamoDB::Table']);
    expect(tables[0]?.[1].Properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: keyArn },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { Enabled: true },
    });
  });

  it('has one key, which changes every year and stays in its region', () => {
    template.resourceCountIs('AWS::KMS::Key', 1);
    const [key = {}] = propertiesOf(template, 'AWS::KMS::Key');
    expect(key.EnableKeyRotation).toBe(true);
    expect(key).not.toHaveProperty('MultiRegion');
  });

  it('lets the account, logs, events and alarms use the key, for what is its own, and nobody else', () => {
    const [{ KeyPolicy: policy } = {}] = propertiesOf(template, 'AWS::KMS::Key');
    const users = statementsOf(policy).map(({ Principal: it, Condition: condition = {} }) => {
      const [user] = /root(?=")|(?<=")[a-z]+(?=\.)/.exec(JSON.stringify(it)) ?? [];
      const keys = Object.values(condition as object).flatMap(Object.keys);
      return `${user}: ${keys.toSorted().join(', ')}`;
    });
    expect(users.toSorted()).toEqual(USERS_OF_THE_KEY);
  });

  it('keeps each log for a time, encrypted, and lets no function log elsewhere', () => {
    const groups = template.findResources('AWS::Logs::LogGroup');
    for (const { Properties: group } of Object.values(groups)) {
      expect(group.RetentionInDays).toBeGreaterThan(0);
      expect(group.KmsKeyId).toEqual(keyArn);
    }
    for (const { LoggingConfig: config } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const { LogGroup: group } = config as { LogGroup: { Ref: string } };
      expect(Object.keys(groups)).toContain(group.Ref);
    }
  });

  it('allows no wildcard to any identity, but for X-Ray', () => {
    const statements = identityStatements(template);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements.filter(hasWildcard)) {
      expect(statement).toEqual(ALLOWED_WILDCARD);
    }
    for (const statement of statements) {
      expect(statement.Effect).toBe('Allow');
      expect(statement).not.toHaveProperty('NotAction');
      expect(statement).not.toHaveProperty('NotResource');
    }
  });

  it("attaches no managed policy, but CodeDeploy's to its role", () => {
    const attached = propertiesOf(template, 'AWS::IAM::Role').filter(
      (role) => 'ManagedPolicyArns' in role,
    );
    expect(attached).toHaveLength(1);
    expect(attached[0]?.ManagedPolicyArns).toEqual([ALLOWED_MANAGED_POLICY]);
    expect(JSON.stringify(attached[0]?.AssumeRolePolicyDocument)).toContain('codedeploy.');
  });

  it('replicates nothing to other regions', () => {
    const types = resourcesOf(template).map(([, { Type }]) => Type);
    expect(types).not.toContain('AWS::DynamoDB::GlobalTable');
    expect(types).not.toContain('AWS::KMS::ReplicaKey');
    const text = JSON.stringify(template.toJSON());
    expect(text).not.toMatch(/"(Replicas?|ReplicaRegions|ReplicationConfiguration)":/);
    const regions = text.match(/\b[a-z]{2}(-[a-z]+)+-\d\b/g) ?? [];
    const named = Object.values(context).join(' ');
    expect(regions.filter((region) => !named.includes(region))).toEqual([]);
  });
});

describe('the region', () => {
  it('is that of the credentials, or the one that the deployment pins', () => {
    expect(stackOf(appOf()).environment).toBe('aws://unknown-account/unknown-region');
    const pinned = stackOf(appOf({ region: 'sa-east-1' }));
    expect(pinned.environment).toBe('aws://unknown-account/sa-east-1');
    expect(pinned.region).toBe('sa-east-1');
  });
});
