import { Validations } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { contextKeys } from '../../../infra/settings/settings.ts';
import { checkCompliance } from '../../../infra/stack/compliance.ts';
import { acknowledgementsOf, findingsOf } from '../../support/acknowledgements.ts';
import { deployments } from '../../support/deployments.ts';
import { appOf, stackOf } from '../../support/stack.ts';

const OF_A_FUNCTION = [
  'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
  'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
  'NIST.800.53.R5::NIST.800.53.R5-LambdaDLQ',
  'NIST.800.53.R5::NIST.800.53.R5-LambdaInsideVPC',
  'Serverless::Serverless-LambdaDLQ',
];
const OF_A_DEAD_LETTER_QUEUE = [
  'AwsSolutions::AwsSolutions-SQS3',
  'Serverless::Serverless-SQSRedrivePolicy',
];
const OF_AN_INLINE_POLICY = ['NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy'];
const OF_CODE_DEPLOY = [
  'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
];

/** All that the stack acknowledges, by construct: a line more is a promise less. */
const ACKNOWLEDGED: Readonly<Record<string, string[]>> = {
  GetApplication: OF_A_FUNCTION,
  UpdateJobStatus: OF_A_FUNCTION,
  Http: ['AwsSolutions::AwsSolutions-APIG4'],
  'Storage/Table': ['NIST.800.53.R5::NIST.800.53.R5-DynamoDBInBackupPlan'],
  'RollOut/Role': OF_CODE_DEPLOY,
  'Events/DeadLetters': OF_A_DEAD_LETTER_QUEUE,
  'Events/Pipe/Role': OF_AN_INLINE_POLICY,
  'Events/WebhookExample/DeadLetters': OF_A_DEAD_LETTER_QUEUE,
  'Events/WebhookExample/Role': OF_AN_INLINE_POLICY,
  'Events/WebhookExample/Token': [
    'AwsSolutions::AwsSolutions-SMG4',
    'NIST.800.53.R5::NIST.800.53.R5-SecretsManagerRotationEnabled',
  ],
};

/** What it acknowledges only where the deployment chooses so. */
const ACKNOWLEDGED_AT_TIMES: readonly [
  when: (context: Record<string, string>) => boolean,
  what: Readonly<Record<string, string[]>>,
][] = [
  [
    ({ issuer }) => issuer === undefined,
    {
      'TokenIssuer/UserPool': [
        'AwsSolutions::AwsSolutions-COG2',
        'AwsSolutions::AwsSolutions-COG8',
      ],
    },
  ],
  [
    ({ alarmEmail }) => alarmEmail !== undefined,
    { 'Observability/AlarmTopic': ['Serverless::Serverless-SNSRedrivePolicy'] },
  ],
  [
    ({ reservedConcurrency }) => reservedConcurrency === 'none',
    {
      GetApplication: ['NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency'],
      UpdateJobStatus: ['NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency'],
    },
  ],
];

/** A rule of cdk-nag, and the construct that breaks or acknowledges it. */
interface Rule {
  path: string;
  rule: string;
}

const HINT =
  'An acknowledgement that test/infra/stack/compliance.test.ts does not list (+), or lists in vain (-). ' +
  'Satisfy the rule instead, or list it here, for the review';

const line = ({ path, rule }: Rule) => `${path}: ${rule}`;

const covers = (acknowledged: Rule, found: Rule) =>
  found.rule === acknowledged.rule && `${found.path}/`.startsWith(`${acknowledged.path}/`);

const lines = (acknowledged: Readonly<Record<string, string[]>>) =>
  Object.entries(acknowledged).flatMap(([path, rules]) =>
    rules.map((rule) => line({ path, rule })),
  );

describe.each(deployments)('compliance of %s', (_, context) => {
  const app = appOf(context);
  const stack = stackOf(app);
  const acknowledgements = acknowledgementsOf(stack);
  const findings = findingsOf(stack);

  it('passes the check of the synth', () => {
    checkCompliance(app);
    expect(() => app.synth()).not.toThrow();
  });

  it('has no finding of cdk-nag that is not acknowledged, be it a warning alone', () => {
    const open = findings.filter((found) => !acknowledgements.some((it) => covers(it, found)));
    expect(open.map(line)).toEqual([]);
  });

  it('acknowledges what is listed here and nothing else', () => {
    const listed = [
      ...lines(ACKNOWLEDGED),
      ...ACKNOWLEDGED_AT_TIMES.flatMap(([when, what]) => (when(context) ? lines(what) : [])),
    ];
    expect(acknowledgements.map(line).toSorted(), HINT).toEqual(listed.toSorted());
  });

  it('acknowledges nothing that is not found', () => {
    const idle = acknowledgements.filter((it) => !findings.some((found) => covers(it, found)));
    expect(idle.map(line)).toEqual([]);
  });

  it('says why in a sentence', () => {
    for (const { reason } of acknowledgements) expect(reason).toMatch(/^[A-Z](\S* ){5,}\S*\.$/);
  });
});

describe('the check of compliance', () => {
  it.each(['AwsSolutions', 'Serverless', 'NIST.800.53.R5'])(
    'fails the synth where nothing but a finding of %s is not acknowledged',
    (pack) => {
      const app = appOf();
      const stack = stackOf(app);
      const old = new CfnFunction(stack, 'Old', { code: {}, role: 'role', runtime: 'nodejs18.x' });
      const findings = findingsOf(stack).filter(({ path }) => path === 'Old');
      const others = findings.filter(({ rule }) => !rule.startsWith(`${pack}::`));
      expect(others.length).toBeLessThan(findings.length);
      const rules = new Set(others.map(({ rule }) => rule));
      for (const id of rules) Validations.of(old).acknowledge({ id, reason: 'Of another pack.' });
      checkCompliance(app);
      expect(() => app.synth()).toThrow();
    },
  );

  it('is tried with every context key', () => {
    const tried = new Set(deployments.flatMap(([, context]) => Object.keys(context)));
    expect([...tried].toSorted()).toEqual(contextKeys.toSorted());
  });
});
