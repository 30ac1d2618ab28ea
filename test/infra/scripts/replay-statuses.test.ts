import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

/** Replaces the AWS CLI: appends its calls to `calls`, and hands out each file `messages-N` once. */
const AWS = `#!/usr/bin/env bash
echo "$1 $2" >> calls
next() { file=$(ls "$1"* 2>/dev/null | head -n 1); [ -n "$file" ] && cat "$file" && rm "$file"; }
case "$2" in
  describe-replay) next state || echo "$END_STATE" ;;
  receive-message) next messages || true ;;
  delete-*|remove-*) ;;
  *) echo "$2" ;;
esac`;

const folder = mkdtempSync(join(tmpdir(), 'recruitment-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);
writeFileSync(file('aws'), AWS, { mode: 0o755 });
writeFileSync(file('sleep'), '#!/bin/sh\n', { mode: 0o755 });

const change = (tenant_id: string, job_id: string, to: string, sequence: string) => ({
  Body: JSON.stringify({ detail: { tenant_id, job_id, to, sequence } }),
});

function replay(variables: Record<string, string> = {}) {
  const usual = { PATH: `${folder}:${process.env.PATH}`, AWS_REGION: 'eu-west-1' };
  const period = { AT: '2026-01-01T00:00:00Z', END: '2026-01-01T01:00:00Z' };
  const script = resolve('infra/scripts/replay-statuses.sh');
  const { status, stdout, stderr } = spawnSync('bash', [script, 'prod'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...usual, END_STATE: 'COMPLETED', ...period, ...variables },
  });
  return { status, stdout, stderr };
}

/** Whatever was created and not removed. */
function leftBehind() {
  const calls = readFileSync(file('calls'), 'utf8');
  const pairs = [
    ['sqs create-queue', 'sqs delete-queue'],
    ['events put-rule', 'events delete-rule'],
    ['events put-targets', 'events remove-targets'],
  ] as const;
  for (const [make] of pairs) expect(calls).toContain(make);
  return pairs.filter(([, remove]) => !calls.includes(remove));
}

describe('infra/scripts/replay-statuses.sh', () => {
  beforeEach(() => rmSync(file('calls'), { force: true }));

  it('prints the status with the greatest sequence of each job, and removes what it has made', () => {
    writeFileSync(file('state-1'), 'RUNNING');
    const batches = [
      [change('a', '1', 'closed', '10'), change('a', '1', 'paused', '9')],
      [change('b', '1', 'draft', '2')],
    ];
    for (const [at, Messages] of batches.entries()) {
      writeFileSync(file(`messages-${at}`), JSON.stringify({ Messages }));
    }
    expect(replay()).toEqual({ status: 0, stdout: 'a\t1\tclosed\nb\t1\tdraft\n', stderr: '' });
    expect(readFileSync(file('changes.ndjson'), 'utf8').trim().split('\n')).toHaveLength(3);
    expect(leftBehind()).toEqual([]);
  });

  it('prints nothing after a replay that failed, and removes what it has made', () => {
    expect(replay({ END_STATE: 'FAILED' })).toMatchObject({ status: 1, stdout: '' });
    expect(leftBehind()).toEqual([]);
  });

  it('refuses a period whose last events the archive may lack', () => {
    expect(replay({ END: new Date().toISOString().replace(/\.\d+/, '') })).toMatchObject({
      status: 2,
      stdout: '',
    });
  });
});
