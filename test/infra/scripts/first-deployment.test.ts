import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

/** Replaces the AWS CLI: appends its calls to `calls`, and fails at the operation in FAILING. */
const AWS = `#!/usr/bin/env bash
echo "$2" "\${@:3}" >> "$FOLDER/calls"
[ "$2" != "$FAILING" ]`;

/** Replaces shell.sh, `curl` and `sleep`. */
const SHELL = `
output() { echo "$1"; }
resources() { printf '%s\\n' getApplication updateJobStatus; }
token() { [ "$FAILING" != token ] && echo eyJ; }
curl() { echo 429; }
sleep() { :; }
STACK=RecruitmentService-staging`;

const folder = mkdtempSync(join(tmpdir(), 'recruitment-first-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'aws'), AWS, { mode: 0o755 });

function runStep(step: string, failing: string) {
  const script = `${SHELL}\n. infra/scripts/first-deployment.sh\n${step}`;
  const { PATH } = process.env;
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${PATH}`, FOLDER: folder, FAILING: failing, AWS_REGION: 'eu-west-1' },
  });
  return { status, stdout, stderr, calls: readFileSync(calls, 'utf8').trim().split('\n') };
}

describe('first-deployment.sh', () => {
  it.each([
    ['remove-targets', 'target of the rule try'],
    ['delete-rule', 'rule try'],
    ['get-queue-url', 'queue recruitment-try'],
    ['delete-item', 'job try'],
  ])('removes the rest if %s fails, and names what it did not remove', (failing, named) => {
    const { status, stderr, calls } = runStep('try_clean', failing);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`- ${named}\n`)]);
    expect(calls.filter((call) => call.startsWith('delete-item'))).toHaveLength(2);
  });

  it('prints nothing once all is removed', () => {
    expect(runStep('try_clean', 'none')).toMatchObject({ status: 0, stderr: '' });
  });

  it('lets both functions run again even if Lambda refuses that for one, and names it', () => {
    const { stderr, calls } = runStep('try_concurrency', 'delete-function-concurrency');
    expect(calls.slice(-2)).toEqual([
      'delete-function-concurrency --function-name getApplication',
      'delete-function-concurrency --function-name updateJobStatus',
    ]);
    expect(stderr).toContain('Lambda still throttles updateJobStatus');
  });

  it.each([
    ['try_stranger', 'tail'],
    ['try_tags', 'describe-user-pool'],
    ['try_expiry', 'put-item'],
    ['try_expired', 'get-item'],
    ['try_day', 'get-cost-and-usage'],
  ])('%s says what to expect, unless %s fails', (step, failing) => {
    const expected = expect.stringContaining('\nExpected: ');
    expect(runStep(step, 'none')).toMatchObject({ status: 0, stdout: expected });
    expect(runStep(step, failing)).toMatchObject({
      status: 1,
      stdout: expect.not.stringContaining('Expected'),
    });
  });

  it.each(['try_rule', 'try_concurrency'])('%s changes nothing without a token', (step) => {
    const { status, calls } = runStep(step, 'token');
    expect(status).toBe(1);
    expect(calls).toEqual(['']);
  });
});
