import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../support/server.ts';
import { appOf, stackOf } from '../../support/stack.ts';

const STACK = 'RecruitmentService-prod';

/** Replaces the AWS CLI. An empty variable stands for a request that AWS refuses. */
const AWS = `#!/usr/bin/env bash
case "$2" in
  describe-stacks)
    [[ "$*" == *StackStatus* ]] && answer=$STATE || answer=topic
    [[ $STATE == *"An error"* ]] && echo "$STATE" >&2 && exit 254 ;;
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

/** Bash's arguments, and options for the process. */
function shell(name: string, variables: Record<string, string>) {
  const code = `. infra/scripts/shell.sh prod; . infra/scripts/account.sh; cd ${folder}; ${name}`;
  const usual = { STATE: '', BOOTSTRAP: '6', FREE: '1000', POLICIES: '9', SUBSCRIPTION: '' };
  const { PATH } = process.env;
  const env = { PATH: `${folder}:${PATH}`, AWS_REGION: 'eu-west-1', ...usual, ...variables };
  return [['--norc', '-euo', 'pipefail', '-c', code], { encoding: 'utf8', env }] as const;
}

function check(name: string, variables: Record<string, string> = {}, content = deployed) {
  writeFileSync(template, content);
  const { status, stdout, stderr } = spawnSync('bash', ...shell(name, variables));
  return { status, said: stdout + stderr };
}

const withReservation = deployed.replaceAll(
  '"Timeout": 6',
  '"Timeout": 6, "ReservedConcurrentExecutions": 300',
);

/** Only deployments need `curl` and `jq`, so a machine may lack them. */
const isInstalled = (tool: string) => spawnSync(tool, ['--version']).status === 0;

describe.skipIf(!['curl', 'jq'].every(isInstalled))('infra/scripts/account.sh', () => {
  describe('before the first deployment of a stage', () => {
    it('nothing is said if the account is ready', () => {
      expect(check('check_account')).toEqual({ status: 0, said: '' });
      expect(check('check_account', { FREE: '700' }, withReservation)).toEqual({
        status: 0,
        said: '',
      });
    });

    it.each([
      ['no bootstrap', { BOOTSTRAP: 'None' }, 'missing or older than version 6.*cdk bootstrap'],
      ['an old bootstrap', { BOOTSTRAP: '5' }, 'missing or older than version 6'],
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
      ['an answer that is no number', { FREE: 'None' }, 'executions is unknown'],
    ])('there is only a warning with %s', (_, variables, message) => {
      const { status, said } = check('check_account', variables);
      expect(status).toBe(0);
      expect(said).toMatch(new RegExp(`^Warning: .*${message}.*\n$`));
    });

    it('all reasons are named at once', () => {
      const variables = { BOOTSTRAP: 'None', FREE: '10', POLICIES: '10' };
      expect(check('check_account', variables).said.trim().split('\n')).toHaveLength(3);
    });

    it.each([
      ['An error occurred (ValidationError): Stack with id x does not exist', 0],
      ['An error occurred (Throttling): Rate exceeded', 1],
      ['REVIEW_IN_PROGRESS', 0],
      ['ROLLBACK_COMPLETE', 0],
      ['CREATE_COMPLETE', 1],
      ['UPDATE_ROLLBACK_COMPLETE', 1],
    ])('the stage is new if no stack was ever created: %j', (STATE, status) => {
      expect(check('is_new', { STATE })).toEqual({ status, said: '' });
    });
  });

  const CONFIRMED = 'arn:aws:sns:eu-west-1:111122223333:topic:1';

  it.each([
    [CONFIRMED, 'ops@example.com', 'The mail to alarmEmail is confirmed'],
    [CONFIRMED, 'else@example.com', 'Warning: nobody has confirmed'],
    ['PendingConfirmation', 'ops@example.com', 'Warning: nobody has confirmed'],
    ['', '', 'Warning: AWS did not say'],
  ])(
    'after a deployment, it is said whether alarms arrive: %j %s',
    (SubscriptionArn, Endpoint, message) => {
      const subscriptions = { Subscriptions: [{ Protocol: 'email', Endpoint, SubscriptionArn }] };
      const SUBSCRIPTION = SubscriptionArn && JSON.stringify(subscriptions);
      const { status, said } = check('check_mail', { SUBSCRIPTION });
      expect([status, said.startsWith(message)]).toEqual([0, true]);
      const unasked = deployed.replaceAll('AWS::SNS::Subscription', 'AWS::SNS::Other');
      expect(check('check_mail', { SUBSCRIPTION }, unasked)).toEqual({ status: 0, said: '' });
    },
  );

  it('a discovery document that comes at the second attempt is read whole', async () => {
    let attempts = 0;
    const server = createServer((_, response) => {
      attempts += 1;
      response.statusCode = attempts === 1 ? 503 : 200;
      response.end(attempts === 1 ? '<html>busy</html>' : JSON.stringify({ issuer }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${portOf(server)}`;
    const Environment = { Variables: { ISSUER: issuer } };
    writeFileSync(template, JSON.stringify({ Resources: { F: { Properties: { Environment } } } }));
    const said = await promisify(execFile)('bash', ...shell('check_issuer', {}));
    expect([attempts, said]).toEqual([2, { stdout: '', stderr: expect.stringContaining('503') }]);
  });
});
