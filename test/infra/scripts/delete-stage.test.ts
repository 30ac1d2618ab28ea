import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const STACK = 'RecruitmentService-prod';

/** Replaces the AWS CLI: appends its calls to `calls`. */
const AWS = `#!/usr/bin/env bash
echo "$*" >> "$(dirname "$0")/calls"
case "$2" in
  list-stacks)
    printf '2026-01-01T00:00:00Z\\tDELETE_COMPLETE\\tolder\\n'
    printf '2026-02-01T00:00:00Z\\t%s\\tnewer\\n' "$STATE" ;;
  describe-stack-events) [ "$4$LEFT" != newer ] || printf 'AWS::%s\\n' \\
    $'KMS::Key\\tkey-1' $'DynamoDB::Table\\ttable-1' $'Lambda::Version\\tversion-1' ;;
  list-tables) echo 'table-1 restored' ;;
  describe-table) [ "$4" = restored ] && echo "arn:aws:kms:eu-west-1:111122223333:key/$KEY" ;;
  update-table) echo "$FAULT" >&2; [ -z "$FAULT" ] ;;
esac`;

const folder = mkdtempSync(join(tmpdir(), 'recruitment-delete-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'aws'), AWS, { mode: 0o755 });

function run(STATE: string, args: string[], input = '', FAULT = '', KEY = 'key-2', LEFT = '') {
  writeFileSync(join(folder, 'calls'), '');
  const { status, stdout } = spawnSync('bash', ['infra/scripts/delete-stage.sh', 'prod', ...args], {
    input,
    encoding: 'utf8',
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      AWS_REGION: 'eu-west-1',
      STATE,
      FAULT,
      KEY,
      LEFT,
    },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { status, stdout, changes: calls.filter((call) => !/ (list|describe)-/.test(call)) };
}

const deletions = [
  'dynamodb update-table --no-deletion-protection-enabled --table-name table-1',
  'dynamodb delete-table --table-name table-1',
  'kms schedule-key-deletion --key-id key-1',
];

it.each([
  ...['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'],
  ...['ROLLBACK_IN_PROGRESS', 'DELETE_IN_PROGRESS', 'DELETE_FAILED'],
])(
  'deletes nothing while the stack is %s, whatever an older stack of its name has left',
  (state) => {
    expect(run(state, ['--yes', STACK])).toEqual({ status: 1, stdout: '', changes: [] });
  },
);

it('deletes nothing while another table, such as a restored one, needs the key', () => {
  const { status, changes } = run('DELETE_COMPLETE', ['--yes', STACK], '', '', 'key-1');
  expect([status, changes]).toEqual([1, []]);
});

it.each([
  [[], ''],
  [[], 'prod\n'],
  [['--yes'], ''],
  [['--yes', 'RecruitmentService-staging'], `${STACK}\n`],
])('deletes nothing unless it is told the name of the stack: %j, %j', (args, input) => {
  const { status, stdout, changes } = run('DELETE_COMPLETE', args, input);
  expect([status, changes]).toEqual([1, []]);
  expect(stdout).toContain('AWS::DynamoDB::Table\ttable-1');
});

it.each([
  ['DELETE_COMPLETE', [], `${STACK}\n`, deletions],
  [
    'ROLLBACK_COMPLETE',
    ['--yes', STACK],
    '',
    [
      ...deletions,
      `cloudformation update-termination-protection --stack-name ${STACK} --no-enable-termination-protection`,
    ],
  ],
])('deletes what a stack that is %s has left, the key last', (state, args, input, expected) => {
  expect(run(state, args, input)).toMatchObject({ status: 0, changes: expected });
});

it.each([
  ['DELETE_COMPLETE', []],
  [
    'ROLLBACK_COMPLETE',
    [
      `cloudformation update-termination-protection --stack-name ${STACK} --no-enable-termination-protection`,
    ],
  ],
])('asks nothing if a stack that is %s has left nothing', (state, changes) => {
  const { status, stdout, changes: made } = run(state, [], '', '', '', 'nothing');
  expect([status, made]).toEqual([0, changes]);
  expect(stdout).toContain('nothing');
});

it('goes on if an earlier run has deleted a resource, and stops at any other error', () => {
  const gone = run('DELETE_COMPLETE', ['--yes', STACK], '', 'ResourceNotFoundException');
  expect(gone).toMatchObject({ status: 0, changes: deletions });
  const denied = run('DELETE_COMPLETE', ['--yes', STACK], '', 'AccessDeniedException');
  expect(denied).toMatchObject({ status: 1, changes: deletions.slice(0, 1) });
});
