import { Validations } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import { checkCompliance } from '../../../infra/stack/compliance.ts';
import { constructIdOf } from '../../../infra/stack/recruitment-stack.ts';
import { deployments } from '../../support/deployments.ts';
import { appOf, stackOf } from '../../support/stack.ts';
import { acknowledgementsOf, findingsOf } from './acknowledgements.ts';

const OF_A_FUNCTION = [
  'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
  'NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency',
  'NIST.800.53.R5::NIST.800.53.R5-LambdaDLQ',
  'NIST.800.53.R5::NIST.800.53.R5-LambdaInsideVPC',
  'Serverless::Serverless-LambdaDLQ',
  'Serverless::Serverless-LambdaTracing',
];

/** All that the stack acknowledges, by construct. */
const ALWAYS: Readonly<Record<string, string[]>> = {
  ...Object.fromEntries(operationNames.map((name) => [constructIdOf(name), OF_A_FUNCTION])),
  Http: ['AwsSolutions::AwsSolutions-APIG4'],
  'Storage/Table': ['NIST.800.53.R5::NIST.800.53.R5-DynamoDBInBackupPlan'],
  'Events/DeadLetters': [
    'AwsSolutions::AwsSolutions-SQS3',
    'Serverless::Serverless-SQSRedrivePolicy',
  ],
  'Events/Pipe/Role': ['NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy'],
};

/** What it acknowledges only if the deployment chooses so. */
const SOMETIMES: readonly [
  applies: (context: Record<string, string>) => boolean,
  what: Readonly<Record<string, string[]>>,
][] = [
  [
    ({ stage }) => stage !== 'dev',
    {
      RollOut: ['NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction'],
      'RollOut/Role': [
        'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      ],
    },
  ],
  [
    ({ filesBucket }) => filesBucket !== undefined,
    {
      GetApplication: [
        'AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::example-files/*]',
      ],
    },
  ],
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
];

/** A rule of cdk-nag, and the construct that breaks or acknowledges it. */
interface Rule {
  path: string;
  rule: string;
}

const HINT =
  'An acknowledgement that this file does not list (+), or that it lists and is not made (-). ' +
  'Satisfy the rule instead, or list it here for the review';

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

  it('has no finding of cdk-nag, not even a warning, that is not acknowledged', () => {
    const open = findings.filter((found) => !acknowledgements.some((it) => covers(it, found)));
    expect(open.map(line)).toEqual([]);
  });

  it('acknowledges what is listed here and nothing else', () => {
    const listed = [
      ...lines(ALWAYS),
      ...SOMETIMES.flatMap(([applies, what]) => (applies(context) ? lines(what) : [])),
    ];
    expect(acknowledgements.map(line).toSorted(), HINT).toEqual(listed.toSorted());
  });

  it('acknowledges nothing that is not found', () => {
    const idle = acknowledgements.filter((it) => !findings.some((found) => covers(it, found)));
    expect(idle.map(line)).toEqual([]);
  });

  it('gives a reason in a sentence', () => {
    for (const { reason } of acknowledgements) expect(reason).toMatch(/^[A-Z](\S* ){5,}\S*\.$/);
  });
});

describe('the check of compliance', () => {
  it.each(['AwsSolutions', 'Serverless', 'NIST.800.53.R5'])(
    'fails the synth if only a finding of %s is not acknowledged',
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

  it('covers every context key', () => {
    const tried = new Set(deployments.flatMap(([, context]) => Object.keys(context)));
    expect([...tried].toSorted()).toEqual(Object.keys(contextKeys).toSorted());
  });
});
