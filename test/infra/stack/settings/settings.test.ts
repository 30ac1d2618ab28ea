import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import cdk from '../../../../cdk.json' with { type: 'json' };
import { readSettings, stages } from '../../../../infra/stack/settings/read-settings.ts';
import { settingsTable, stageNames } from '../../../../infra/stack/settings/settings.ts';
import { ownDomain, restoredTable } from '../../../support/deployments.ts';
import { answers, externalIssuer, templateOf } from '../../../support/stack.ts';

const filesKey = 'arn:aws:kms:eu-west-1:111122223333:key/1';
const databaseEndpoint = 'https://dynamodb.eu-west-1.amazonaws.com';
const FILE = 'infra/stack/stages/dev.ts';

type Context = Record<string, unknown>;

const nodeOf = (context: Context) =>
  new App({ context: { ...context }, outdir: 'dist/test-cdk.out' }).node;

const read = (flags: Context) => readSettings(nodeOf(flags), answers);

/** `content` is a stage's file, whose values may have wrong types. */
const readFile = (content: Context, flags: Context = {}) =>
  readSettings(nodeOf(flags), content as object);

describe("a stage's file", () => {
  const examples = Object.fromEntries(
    Object.entries(settingsTable).flatMap(([key, its]) =>
      'example' in its ? [[key, its.example]] : [],
    ),
  );
  const required = [...Object.keys(answers), 'audience'];

  it.each(stageNames)(
    'of %s in this repository is valid, or names all that a team must decide',
    (stage) => {
      const file = `infra/stack/stages/${stage}.ts`;
      if (Object.keys(stages[stage].settings).length === 0) {
        const keys = Object.keys(settingsTable).filter((key) => required.includes(key));
        const lines = keys.map((key) => `\n  ${key}: .*`).join('');
        const message = new RegExp(`^${file} without flags \\(-c\\): these keys .*:${lines}$`);
        expect(() => readSettings(nodeOf({ stage }))).toThrow(message);
        // Flags (`-c`) cannot replace the file: a forgotten flag would change who may read what.
        expect(() => readSettings(nodeOf({ stage, ...examples }))).toThrow(message);
      } else {
        expect(readSettings(nodeOf({ stage })).stage).toBe(stage);
        const flags = { stage, isuer: 'x' };
        expect(() => readSettings(nodeOf(flags))).toThrow(
          `${file} with flags (-c): unknown key isuer`,
        );
      }
    },
  );

  it('sets each key that no flag overrides', () => {
    expect(readFile(answers)).toEqual({ stage: 'dev', transitionPolicy: 'any' });
    const written = { 'acknowledged-issue-numbers': [12345], 'cli-telemetry': false };
    expect(readFile(answers, { ...cdk.context, ...written })).toEqual(readFile(answers));
    const expected: Context = { ...examples, transitionPolicy: 'any', stage: 'prod' };
    expect(readFile(examples, { stage: 'prod' })).toEqual(expected);
    const flags = { stage: 'prod', rollOut: 'direct', transitionPolicy: 'lifecycle' };
    const { alarmEmail, ...others } = expected;
    expect(readFile(examples, { ...flags, alarmEmail: 'none' })).toEqual({ ...others, ...flags });
  });

  it.each(required)('must state %s, even if a flag does', (key) => {
    const { [key]: _, ...others } = examples;
    const message = new RegExp(`^${FILE} without flags .* missing [^\n]*:\n  ${key}: [^\n]*$`);
    expect(() => readFile(others)).toThrow(message);
    expect(() => readFile(others, { [key]: 'none' })).toThrow(message);
  });

  it.each([
    [{ isuer: 'cognito' }, 'unknown key isuer. The keys are issuer, '],
    [{ toString: 'x' }, 'unknown key toString. '],
    [{ rollOut: 'direct' }, 'unknown key rollOut. '],
    [{ region: 7 }, 'region must be `any` or the name of a region, such as eu-west-1.'],
    [{ audience: undefined }, 'audience must be a list of audiences'],
    [{ tenantClaim: 'org_id' }, 'tenantClaim belongs to an issuer of your own, '],
    [{ jwksUri: 'https://login.example.com/keys' }, 'jwksUri belongs to an issuer '],
    [{ scopePrefix: 'recruitment/' }, 'scopePrefix belongs to an issuer '],
    [{ scopeClaims: 'roles' }, 'scopeClaims belongs to an issuer '],
    [{ audience: 'recruitment' }, 'audience belongs to an issuer '],
  ])('is named by the error if it contains %j', (content, message) => {
    const file = { ...answers, ...content };
    expect(() => readFile(file)).toThrow(`${FILE} without flags (-c): ${message}`);
  });
});

it('ends a synthesis with a sentence about a settings error, without a stack trace', () => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'test' }) };
  const { status, stderr } = spawnSync(process.execPath, ['infra/run.mjs', 'infra/app.ts'], {
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    'The context key stage must be one of dev, staging, prod.\n',
  ]);
});

describe('the settings', () => {
  it.each([
    ['jwksUri', 'https://login.example.com/discovery/v2.0/keys?appid=1', externalIssuer],
    ['trustStore', 's3://bucket/our authorities.pem', ownDomain],
  ] as const)('accept as %s: %s', (key, value, others) => {
    expect(read({ ...others, [key]: value })[key]).toBe(value);
  });

  // Lambda does not publish an unchanged function again, so its version must keep its logical id.
  it('are the same with a default that is written and without it', () => {
    expect(read({ stage: 'dev', transitionPolicy: 'any' })).toEqual(read({}));
    expect(read({ region: 'eu-west-1', databaseEndpoint })).toEqual(read({ region: 'eu-west-1' }));
    const external = templateOf(externalIssuer).toJSON();
    expect(templateOf({ ...externalIssuer, scopePrefix: '' }).toJSON()).toEqual(external);
  });

  const domains = ['https://a.example.com', '*.example.com', 'API.example.com', 'localhost'];
  const trust = ['authority.pem', 's3://bucket', 's3://Bucket/a.pem', 's3://bucket/a/../b.pem'];
  it.each<[key: string, others: Context, values: unknown[]]>([
    ['stage', {}, ['test', 'toString', '../stages', 7]],
    ['issuer', externalIssuer, ['login.example.com', 'https://a.example ', 'https://a.example?b']],
    ['issuer', externalIssuer, ['http://login.example.com', 'http://localhost:3001']],
    ['audience', externalIssuer, [' ,']],
    ['scopeClaims', externalIssuer, [' ,', 'my roles']],
    ['jwksUri', externalIssuer, ['http://127.0.0.1:3001/jwks', 'https://x.example.com#keys']],
    ['scopePrefix', externalIssuer, ['a b', 'a"b']],
    ['tenantClaim', externalIssuer, [7, '', ' ', 'org_id ', 'None', 'NONE']],
    ['transitionPolicy', {}, ['strict', 'toString']],
    ['databaseEndpoint', {}, ['dynamodb', 'http://localhost:8000', 'https://x.example.com?a']],
    ['corsOrigins', {}, ['*', 'https://*', 'https://*.a.example', 'https://a.example/path']],
    ['corsOrigins', {}, ['https://app.example.com,']],
    ['region', {}, ['Frankfurt', 'eu-west-1a', '']],
    ['filesBucket', {}, ['example.files', 's3://files', 'Files', 'ab', 'files-', 'a-b,c-d,e-f']],
    ['filesKey', { filesBucket: 'a-b' }, ['12345678', 'arn:aws:s3:::a-b', `${filesKey},`]],
    ['restoredTableStream', {}, ['restored', 'arn:aws:dynamodb:eu-west-1:1:table/restored']],
    ['rollOut', {}, ['now', 'staged']],
    ['alarmEmail', {}, ['ops', 'ops@example', 'a@a.example,b@a.example', ' ops@example.com']],
    ['domainName', ownDomain, [...domains, 'a.example.', '10.0.0.1', `${'a.'.repeat(126)}com`]],
    ['certificateArn', ownDomain, ['arn:aws:iam::1:role/x', `${ownDomain.certificateArn}x`]],
    ['hostedZoneId', ownDomain, ['/hostedzone/Z1', 'example.com']],
    ['trustStore', ownDomain, [...trust, 's3://bucket/a.pem?b', 's3://bucket/./a.pem']],
  ])('reject an invalid value of %s and say what it must be', (key, others, values) => {
    for (const value of values) {
      expect(() => read({ ...others, [key]: value })).toThrow(` ${key} must be `);
    }
  });

  const regionally = { region: 'us-west-1', filesBucket: 'a-b' };
  it.each([
    [{ domainName: 'api.example.com' }, 'domainName needs certificateArn'],
    [{ hostedZoneId: 'Z1' }, 'hostedZoneId needs domainName'],
    [{ trustStore: 's3://bucket/a.pem' }, 'trustStore needs domainName'],
    [{ filesKey }, 'filesKey needs filesBucket'],
    [{ ...ownDomain, trustStoreVersion: 'v1' }, 'trustStoreVersion needs trustStore'],
    [restoredTable('prod'), 'which does not belong to the stage dev'],
    [{ ...ownDomain, region: 'us-east-1' }, 'Set region to eu-west-1, or use a resource in us-eas'],
    [{ ...ownDomain, region: 'any' }, 'but region is any. Set region to eu-west-1.'],
    [{ ...restoredTable('dev'), region: 'any' }, 'restoredTableStream names a resource in eu-west'],
    [{ databaseEndpoint }, 'databaseEndpoint names a resource in eu-west-1, but region is any'],
    [
      { ...regionally, filesKey: `${filesKey.replace('eu-west', 'us-west')},${filesKey}` },
      'in eu-',
    ],
    [{ alarmEmail: 'ops@example.com' }, 'The stage dev has no alarms. Set alarmEmail to none.'],
  ])('reject %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});

describe('an issuer whose discovery document is right, but whose tokens cannot be used', () => {
  it.each([
    ['https://acme.okta.com', 'https://acme.okta.com/oauth2/default.'],
    ['https://acme.oktapreview.com/', 'https://acme.oktapreview.com/oauth2/default.'],
    ['https://accounts.google.com', 'an issuer that has Google as its identity provider.'],
  ])('is refused with the right form: %s', (issuer, form) => {
    expect(() => read({ ...externalIssuer, issuer })).toThrow(form);
  });

  it('is not a custom authorization server of Okta', () => {
    const issuer = 'https://acme.okta.com/oauth2/aus9';
    expect(read({ ...externalIssuer, issuer }).issuer).toBe(issuer);
  });
});

it.each([
  ['ca-west-1', 'has no EventBridge Pipes, '],
  ['cn-north-1', 'belongs to the partition aws-cn. '],
  ['us-gov-west-1', 'belongs to the partition aws-us-gov. '],
])('a region in which the service cannot be deployed is refused: %s', (region, reason) => {
  const message = `The region ${region} ${reason}`;
  expect(() => read({ region })).toThrow(message);
  // If no region is pinned, the credentials' region counts.
  const variables = { CDK_DEFAULT_REGION: region };
  expect(() => readSettings(nodeOf({}), answers, variables)).toThrow(message);
  const pinned = readSettings(nodeOf({ region: 'eu-west-1' }), answers, variables);
  expect(pinned.region).toBe('eu-west-1');
});

it('settings that an earlier release has left are refused, not ignored', () => {
  const earlier = mkdtempSync(join(tmpdir(), 'recruitment-settings-'));
  onTestFinished(() => rmSync(earlier, { recursive: true }));
  const readBeside = () => readSettings(nodeOf({}), answers, {}, earlier);
  expect(readBeside().stage).toBe('dev');
  writeFileSync(join(earlier, 'prod.json'), '{}');
  expect(readBeside).toThrow(/infra\/settings\/prod\.json .* infra\/stack\/stages/);
});

it.each([
  ['eu-wset-1', 'The region eu-wset-1 is not known. Do you mean eu-west-1?'],
  ['us-est-1', 'Do you mean us-east-1?'],
])('accepts %s with a warning, because a region may be newer than the CDK', (region, warning) => {
  const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue();
  expect(read({ region }).region).toBe(region);
  expect(emitted.mock.calls).toEqual([[expect.stringContaining(warning)]]);
  emitted.mockRestore();
});

it('cdk.json has every feature flag that the CDK recommends, so that none changes resources later', () => {
  const recommended = readFileSync(
    'node_modules/aws-cdk-lib/recommended-feature-flags.json',
    'utf8',
  );
  expect(cdk.context).toMatchObject(JSON.parse(recommended));
});
