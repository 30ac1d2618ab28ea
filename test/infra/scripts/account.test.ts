import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appOf, stackOf } from '../../support/stack.ts';

const STACK = 'RecruitmentService-prod';

/** Replaces the AWS CLI. A variable without a value stands for a request that AWS refuses. */
const AWS = `#!/usr/bin/env bash
case "$2" in
  describe-stacks) [[ "$*" == *StackId* ]] && answer=$STACK_ID || answer=topic ;;
  get-parameters) [ "$4" = /cdk-bootstrap/hnb659fds/version ] && answer=$BOOTSTRAP ;;
  get-account-settings) answer=$FREE ;;
  describe-resource-policies) answer=$POLICIES ;;
  list-subscriptions-by-topic) [ "$4" = topic ] && answer=$SUBSCRIPTION ;;
esac
[ -n "$answer" ] && echo "$answer"`;

const folder = mkdtempSync(join(tmpdir(), 'recruitment-account-'));
afterAll(() => rmSync(folder, { recursive: true }));
const assembly = join(folder, 'dist/assembly/prod');
const template = join(assembly, `${STACK}.template.json`);
mkdirSync(assembly, { recursive: true });
const app = appOf({ stage: 'prod', alarmEmail: 'ops@example.com' });
stackOf(app);
cpSync(app.synth().directory, assembly, { recursive: true });
const deployed = readFileSync(template, 'utf8');
writeFileSync(join(folder, 'aws'), AWS, { mode: 0o755 });

function check(name: string, variables: Record<string, string> = {}, content = deployed) {
  writeFileSync(template, content);
  const usual = { STACK_ID: '', BOOTSTRAP: '6', FREE: '1000', POLICIES: '9', SUBSCRIPTION: '' };
  const code = `. infra/scripts/shell.sh prod; . infra/scripts/account.sh; cd ${folder}; ${name}`;
  const options = ['--norc', '-euo', 'pipefail'];
  const { status, stdout, stderr } = spawnSync('bash', [...options, '-c', code], {
    encoding: 'utf8',
    cwd: resolve(),
    env: { PATH: `${folder}:${process.env.PATH}`, AWS_REGION: 'eu-west-1', ...usual, ...variables },
  });
  return { status, said: stdout + stderr };
}

const withReservation = deployed.replaceAll(
  '"Timeout": 6',
  '"Timeout": 6, "ReservedConcurrentExecutions": 300',
);

describe('before the first deployment of a stage', () => {
  it('nothing is said if the account is ready', () => {
    expect(check('check_account')).toEqual({ status: 0, said: '' });
    expect(check('check_account', { FREE: '700' }, withReservation)).toEqual({
      status: 0,
      said: '',
    });
  });

  it.each([
    ['no bootstrap', { BOOTSTRAP: 'None' }, 'needs version 6 .* has none.*cdk bootstrap'],
    ['an old bootstrap', { BOOTSTRAP: '5' }, 'needs version 6 .* has 5'],
    ['too few executions to reserve', { FREE: '699' }, 'reserve 600 .* only 699 are free'],
  ])('nothing is deployed with %s', (_, variables, message) => {
    const { status, said } = check('check_account', variables, withReservation);
    expect(status).toBe(1);
    expect(said).toMatch(new RegExp(`^Nothing was deployed: .*${message}.*\n$`));
  });

  it.each([
    ['less concurrency than the throttle admits', { FREE: '599' }, '600 .* only 599 are free'],
    ['ten resource policies', { POLICIES: '10' }, '10 resource policies'],
    ['an AWS that does not say its bootstrap', { BOOTSTRAP: '' }, 'bootstrap is unknown'],
    ['an AWS that does not say its quota', { FREE: '' }, 'executions is unknown'],
    ['an AWS that does not say its policies', { POLICIES: '' }, 'Logs is unknown'],
  ])('there is only a warning with %s', (_, variables, message) => {
    const { status, said } = check('check_account', variables);
    expect(status).toBe(0);
    expect(said).toMatch(new RegExp(`^Warning: .*${message}.*\n$`));
  });

  it('all reasons are named at once', () => {
    const variables = { BOOTSTRAP: 'None', FREE: '10', POLICIES: '10' };
    expect(check('check_account', variables).said.trim().split('\n')).toHaveLength(3);
  });
});

it.each([
  ['arn:aws:sns:eu-west-1:111122223333:topic:1', 'Somebody has confirmed'],
  ['PendingConfirmation', 'Warning: nobody has confirmed'],
  ['', 'Warning: it is unknown'],
])('after a deployment, it is said whether alarms arrive: %j', (SubscriptionArn, message) => {
  const subscriptions = { Subscriptions: [{ Protocol: 'email', SubscriptionArn }] };
  const SUBSCRIPTION = SubscriptionArn && JSON.stringify(subscriptions);
  const { status, said } = check('check_mail', { SUBSCRIPTION });
  expect([status, said.startsWith(message)]).toEqual([0, true]);
  const unasked = deployed.replaceAll('AWS::SNS::Subscription', 'AWS::SNS::Other');
  expect(check('check_mail', { SUBSCRIPTION }, unasked)).toEqual({ status: 0, said: '' });
});
