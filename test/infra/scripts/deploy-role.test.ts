import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { operationNames } from '../../../functions/operations/operations.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { type StageName, stageNames } from '../../../infra/stack/settings/settings.ts';
import { templateOf } from '../../support/stack.ts';

/** Replaces the AWS CLI: appends its calls to `calls`, and keeps the policies, which come last. */
const AWS = `#!/usr/bin/env bash
echo "$1 $2" >> "$FOLDER/calls"
policy="\${@: -1}"
case "$2" in
  put-role-policy) echo "$policy" > "$FOLDER/permissions.json" ;;
  create-role|update-assume-role-policy) echo "$policy" | tee "$FOLDER/role" > "$FOLDER/trust.json" ;;
  get-role) [ -e "$FOLDER/role" ] ;;
  list-*) echo arn:aws:iam::111122223333:oidc-provider/token.actions.githubusercontent.com ;;
esac`;

interface Statement {
  Sid?: string;
  Resource: string | string[];
  Condition: Record<string, Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), 'recruitment-role-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'aws'), AWS, { mode: 0o755 });

function makeRole(variables: Record<string, string>, context: object = {}) {
  const project = join(folder, crypto.randomUUID());
  mkdirSync(project);
  writeFileSync(join(project, 'cdk.json'), JSON.stringify({ context }));
  const usual = { AWS_REGION: 'eu-west-1', ACCOUNT: '111122223333', TENANT: 'default' };
  const repository = { REPOSITORY: 'example@1234/service@5678', STAGE: 'prod' };
  const run = spawnSync('bash', [resolve('infra/scripts/deploy-role.sh')], {
    cwd: project,
    encoding: 'utf8',
    env: {
      ...{ PATH: `${folder}:${process.env.PATH}`, FOLDER: folder },
      ...{ ...usual, ...repository, ...variables },
    },
  });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  const statements = (file: string): Statement[] =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')).Statement;
  const permissions = statements('permissions.json');
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  rmSync(join(folder, 'calls'));
  return {
    calls,
    trust: statements('trust.json'),
    statement: (sid: string) => permissions.find(({ Sid }) => Sid === sid),
  };
}

const literal = (text: string) => text.replace(/\W/g, '\\$&');

/** Matches as IAM does: `*` is any text, and `${*}` an asterisk. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern
    .split(/(\$\{\*\}|\*)/)
    .map((part) => (part === '*' ? '.*' : literal(part.startsWith('$') ? '*' : part)));
  return new RegExp(`^${parts.join('')}$`).test(text);
}

/**
 * Generates a name as CloudFormation does: two hyphens and twelve random characters; the stack's name and the logical
 * id share the rest (`fairSplit` of IdentifierUtils, in aws-cloudformation/cloudformation-cli-java-plugin).
 */
function generatedName(stack: string, logicalId: string, most: number): string {
  const free = most - 14;
  const half = Math.floor(free / 2);
  const ofStack = Math.min(stack.length, Math.max(half, free - logicalId.length));
  const ofId = Math.min(logicalId.length, free - ofStack);
  return `${stack.slice(0, ofStack)}-${logicalId.slice(0, ofId)}-0123456789AB`;
}

/** Statement id -> [resource type, ARN service, ARN prefix, longest generated name]. */
const generated = {
  GoBack: ['AWS::Lambda::Function', 'lambda', 'function:', 64],
  SmokeTest: ['AWS::DynamoDB::Table', 'dynamodb', 'table/', 255],
  AskMail: ['AWS::SNS::Topic', 'sns', '', 256],
  StopRollout: ['AWS::CodeDeploy::Application', 'codedeploy', 'deploymentgroup:', 100],
} as const;

const idsOf = (stage: StageName, type: string) =>
  Object.keys(templateOf({ stage }).findResources(type));

describe('infra/scripts/deploy-role.sh', () => {
  it.each(stageNames)('lets a run use what has a generated name in %s', (stage) => {
    const { statement } = makeRole({ STAGE: stage });
    expect(idsOf(stage, 'AWS::Lambda::Function')).toHaveLength(operationNames.length);
    for (const [sid, [type, service, prefix, most]] of Object.entries(generated)) {
      const pattern = String(statement(sid)?.Resource);
      for (const id of idsOf(stage, type)) {
        const name = generatedName(`RecruitmentService-${stage}`, id, most);
        expect(name.length).toBeLessThanOrEqual(most);
        const arn = `arn:aws:${service}:eu-west-1:111122223333:${prefix}${name}`;
        expect(matches(pattern, sid === 'StopRollout' ? `${arn}/group` : arn), arn).toBe(true);
      }
      const others = stageNames.filter((it) => it !== stage);
      for (const other of others.flatMap((it) => idsOf(it, type).map((id) => [it, id] as const))) {
        const name = generatedName(`RecruitmentService-${other[0]}`, other[1], most);
        const arn = `arn:aws:${service}:eu-west-1:111122223333:${prefix}${name}/group`;
        expect(matches(pattern, arn), arn).toBe(false);
      }
    }
  });

  it('trusts the subject that GitHub gives a run in the environment of the stage', () => {
    const { trust } = makeRole({});
    expect(trust[0]?.Condition.StringEquals).toEqual({
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': 'repo:example@1234/service@5678:environment:prod',
    });
  });

  it('gives a role that exists the current policies', () => {
    rmSync(join(folder, 'role'), { force: true });
    const changes = () => makeRole({}).calls.filter((call) => !/ (get|list)-/.test(call));
    expect(changes()).toEqual(['iam create-role', 'iam put-role-policy']);
    expect(changes()).toEqual(['iam update-assume-role-policy', 'iam put-role-policy']);
  });

  it.each(['default', 'a*b', '*', 'a?b', '$\x7b*}', 'a"b'])(
    'lets the smoke test write in the tenant %j alone',
    (tenant) => {
      const { statement } = makeRole({ TENANT: tenant });
      const pattern =
        statement('SmokeTest')?.Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
      expect(matches(String(pattern), jobKey(tenant, 'smoke-1').pk)).toBe(true);
      expect(matches(String(pattern), jobKey(tenant, 'j-1').pk)).toBe(false);
      expect(matches(String(pattern), jobKey('another', 'smoke-1').pk)).toBe(false);
      expect(matches(String(pattern), jobKey(`${tenant}x`, 'smoke-1').pk)).toBe(false);
    },
  );

  it('limits what has no name by its tag, keys to DynamoDB, and writes to requests that name their keys', () => {
    const { statement } = makeRole({});
    const stageTag = { 'aws:ResourceTag/stage': 'prod' };
    expect(statement('GetToken')?.Condition.StringEquals).toEqual(stageTag);
    expect(statement('SmokeTestKey')?.Condition.StringEquals).toEqual({
      ...stageTag,
      'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com',
    });
    expect(statement('SmokeTest')?.Condition.Null).toEqual({ 'dynamodb:LeadingKeys': 'false' });
  });

  it('uses the roles of the bootstrap, by the qualifier of cdk.json', () => {
    const roles = (context?: object) => String(makeRole({}, context).statement('Deploy')?.Resource);
    expect(roles()).toContain('role/cdk-hnb659fds-deploy-role-111122223333-eu-west-1');
    const others = roles({ '@aws-cdk/core:bootstrapQualifier': 'team' });
    expect(others).toContain('role/cdk-team-deploy-role-111122223333-eu-west-1');
    expect(others).not.toContain('hnb659fds');
  });
});
