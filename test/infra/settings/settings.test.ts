import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, describe, expect, it } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { transitionPolicies } from '../../../functions/domain/job.ts';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import schema from '../../../infra/settings/stage.schema.json' with { type: 'json' };
import { stageNames } from '../../../infra/settings/stages.ts';
import { ownDomain, restoredTable } from '../../support/deployments.ts';
import { externalIssuer, templateOf } from '../../support/stack.ts';

const filesKey = 'arn:aws:kms:eu-west-1:111122223333:key/1';
const keys = `${filesKey.replace('eu', 'us')},${filesKey}`;
const databaseEndpoint = 'https://dynamodb.eu-west-1.amazonaws.com';

const nodeOf = (context: object) =>
  new App({ context: { ...context }, outdir: 'dist/test-cdk.out' }).node;

/** Reads the settings from flags and a file that states only the required keys. */
const read = (context: Record<string, unknown>) =>
  readSettings(nodeOf(context), 'infra/local/settings.json');

describe('a settings file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recruitment-settings-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = join(folder, 'stage.json');
  const readFile = (content: unknown, context: object = {}) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readSettings(nodeOf(context), file);
  };
  const none = { issuer: 'cognito', tenantClaim: 'none', alarmEmail: 'none', region: 'any' };
  /** The schema's examples. */
  const all: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(contextKeys).flatMap(([key, its]) =>
      its.examples ? [[key, its.examples.at(-1)]] : [],
    ),
  );

  it.each(stageNames)('for %s in this repository is valid or empty', (stage) => {
    const content = JSON.parse(readFileSync(`infra/settings/${stage}.json`, 'utf8'));
    const source = `infra/settings/${stage}.json`;
    if (Object.keys(content).length === 1) {
      const stated = schema.required.map((key) => `\n  ${key}: .*`).join('');
      expect(() => readSettings(nodeOf({ stage }))).toThrow(new RegExp(`^${source}: .*${stated}$`));
    } else {
      expect(readSettings(nodeOf({ stage })).stage).toBe(stage);
      const flags = { stage, isuer: 'x' };
      expect(() => readSettings(nodeOf(flags))).toThrow(
        `${source} with flags (-c): unknown key isuer`,
      );
    }
    expect(content.$schema).toBe('./stage.schema.json');
  });

  it('sets each key that no flag overrides', () => {
    expect(readFile(none)).toEqual({ stage: 'dev', transitionPolicy: 'any' });
    // The CDK's own context keys make no difference.
    expect(readFile(none, cdk.context)).toEqual(readFile(none));
    const expected: typeof all = { ...all, transitionPolicy: 'any', stage: 'prod' };
    expect(readFile(all, { stage: 'prod' })).toEqual(expected);
    const flags = { stage: 'prod', rollOut: 'direct', transitionPolicy: 'lifecycle' };
    const { alarmEmail, ...others } = expected;
    expect(readFile(all, { ...flags, alarmEmail: 'none' })).toEqual({ ...others, ...flags });
  });

  it.each(Object.keys(none))('must state %s', (key) => {
    const others = { ...all, [key]: undefined };
    const message = `${file}: the key ${key} is missing. Set it to `;
    expect(() => readFile(others)).toThrow(message);
    expect(() => readFile(others, { [key]: 'none' })).toThrow(message);
  });

  it.each([
    ['{"issuer": "cognito",}', ' is not JSON.'],
    [[], ': the file must be a JSON object.'],
    [{ ...none, isuer: 'cognito' }, ': unknown key isuer. '],
    [{ ...none, rollOut: 'direct' }, ': rollOut cannot be set in a file. '],
    [{ ...none, region: 7 }, ': region must be `any` or the name of a region, such as eu-west-1.'],
    [{ ...none, ...externalIssuer, audience: undefined }, ': the key audience is missing. '],
    [{ ...none, tenantClaim: 'org_id' }, ': tenantClaim belongs to an issuer of your own, '],
    [{ ...none, jwksUri: 'https://login.example.com/keys' }, ': jwksUri belongs to an issuer '],
    [{ ...none, scopePrefix: 'recruitment/' }, ': scopePrefix belongs to an issuer '],
    [{ ...none, audience: 'recruitment' }, ': audience belongs to an issuer '],
  ])('is named by the error if it contains %j', (content, message) => {
    expect(() => readFile(content)).toThrow(`${file}${message}`);
  });

  it('may name every transition policy', () => {
    expect(schema.properties.transitionPolicy.enum).toEqual(Object.keys(transitionPolicies));
  });
});

describe('the settings', () => {
  it('accept an issuer without TLS only on this machine', () => {
    const issuer = 'http://127.0.0.1:4000';
    expect(read({ ...externalIssuer, issuer }).issuer).toBe(issuer);
  });

  it('accept a trust store whose key has a space', () => {
    const trustStore = 's3://bucket/our authorities.pem';
    expect(read({ ...ownDomain, trustStore }).trustStore).toBe(trustStore);
  });

  it.each([
    ['stage', {}, ['test', 'toString', '../stages', 7]],
    [
      'issuer',
      externalIssuer,
      [
        'login.example.com',
        'https://login.example.com ',
        'https://login.example.com?a=b',
        'http://login.example.com',
        'http://127.0.0.1.example.com',
      ],
    ],
    ['audience', externalIssuer, [' ,']],
    ['jwksUri', externalIssuer, ['http://x.example.com']],
    ['scopePrefix', externalIssuer, ['a b', 'a"b']],
    ['tenantClaim', externalIssuer, [7, '', ' ', 'org_id ']],
    ['transitionPolicy', {}, ['strict', 'toString']],
    ['databaseEndpoint', {}, ['dynamodb']],
    ['corsOrigins', {}, ['*', 'https://app.example.com/path', 'https://app.example.com,']],
    ['region', {}, ['Frankfurt', 'eu-west-1a', '']],
    [
      'filesBucket',
      {},
      ['example.files', 's3://example-files', 'Files', 'ab', 'files-', 'a-b,c-d,e-f'],
    ],
    ['filesKey', { filesBucket: 'a-b' }, ['12345678', 'arn:aws:s3:::a-b', `${filesKey},`]],
    [
      'restoredTableStream',
      {},
      ['restored', 'arn:aws:dynamodb:eu-west-1:111122223333:table/restored'],
    ],
    ['rollOut', {}, ['now', 'staged']],
    ['alarmEmail', {}, ['ops', 'ops@example', 'a@example.com,b@example.com', ' ops@example.com']],
    [
      'domainName',
      ownDomain,
      [
        'https://api.example.com',
        '*.example.com',
        'API.example.com',
        'localhost',
        'api.example.com.',
        '10.0.0.1',
        `${'a.'.repeat(126)}com`,
      ],
    ],
    [
      'certificateArn',
      ownDomain,
      ['arn:aws:iam::111122223333:role/x', `${ownDomain.certificateArn}x`],
    ],
    ['hostedZoneId', ownDomain, ['/hostedzone/Z1', 'example.com']],
    [
      'trustStore',
      ownDomain,
      [
        'authority.pem',
        's3://bucket',
        's3://Bucket/a.pem',
        's3://bucket/a.pem?b',
        's3://bucket/./a.pem',
        's3://bucket/a/../b.pem',
      ],
    ],
  ])('reject an invalid value of %s and say what it must be', (key, others, values) => {
    for (const value of values) {
      expect(() => read({ ...others, [key]: value })).toThrow(` ${key} must be `);
    }
  });

  it.each([
    [{ domainName: 'api.example.com' }, 'domainName needs certificateArn'],
    [{ hostedZoneId: 'Z1' }, 'hostedZoneId needs domainName'],
    [{ trustStore: 's3://bucket/a.pem' }, 'trustStore needs domainName'],
    [{ filesKey }, 'filesKey needs filesBucket'],
    [{ ...ownDomain, trustStoreVersion: 'v1' }, 'trustStoreVersion needs trustStore'],
    [restoredTable('prod'), 'which does not belong to the stage dev'],
    [
      { ...ownDomain, region: 'us-east-1' },
      'Set region to eu-west-1, or use a resource in us-east',
    ],
    [{ ...ownDomain, region: 'any' }, 'the key region is any. Set region to eu-west-1.'],
    [{ ...restoredTable('dev'), region: 'any' }, 'restoredTableStream names a resource in eu-west'],
    [
      { databaseEndpoint },
      'databaseEndpoint names a resource in eu-west-1, but the key region is any',
    ],
    [{ region: 'us-east-1', databaseEndpoint }, 'or use a resource in us-east-1'],
    [{ alarmEmail: 'ops@example.com' }, 'The stage dev has no alarms. Set alarmEmail to none.'],
    [
      { region: 'us-west-1', filesBucket: 'a-b', filesKey: keys },
      'filesKey names a resource in eu-',
    ],
  ])('reject %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});

describe('a region', () => {
  const external = { ...externalIssuer, jwksUri: 'https://login.example.com/keys' };

  it.each(['ca-west-1', 'us-gov-west-1', 'ap-southeast-7'])(
    '%s is refused, because it has no pipes',
    (region) => {
      const message = `The region ${region} has no EventBridge Pipes, `;
      expect(() => read({ ...external, region })).toThrow(message);
      // Without a pinned region, the credentials' region counts.
      const variables = { CDK_DEFAULT_REGION: region };
      const path = 'infra/local/settings.json';
      expect(() => readSettings(nodeOf({}), path, variables)).toThrow(message);
      expect(readSettings(nodeOf({ region: 'eu-west-1' }), path, variables).region).toBe(
        'eu-west-1',
      );
    },
  );

  it('of China is refused only without an external issuer', () => {
    const region = 'cn-north-1';
    expect(() => read({ region })).toThrow(`The region ${region} has no Cognito. Set issuer to `);
    expect(read({ ...external, region }).region).toBe(region);
  });
});

describe('a key that is set to its default', () => {
  /**
   * Each key's default, with the keys that the key needs. Undefined if no value has the same effect as leaving out
   * the key.
   */
  const defaults: Record<
    keyof typeof contextKeys,
    [value: string, others?: Record<string, string>] | undefined
  > = {
    stage: ['dev'],
    rollOut: ['direct'],
    issuer: ['cognito'],
    audience: undefined,
    jwksUri: undefined,
    scopePrefix: ['', externalIssuer],
    tenantClaim: ['none', externalIssuer],
    transitionPolicy: ['any'],
    corsOrigins: undefined,
    databaseEndpoint: [databaseEndpoint, { region: 'eu-west-1' }],
    region: ['any'],
    filesBucket: undefined,
    filesKey: undefined,
    restoredTableStream: undefined,
    alarmEmail: ['none'],
    domainName: undefined,
    certificateArn: undefined,
    hostedZoneId: undefined,
    trustStore: undefined,
    trustStoreVersion: undefined,
  };

  it('is listed for every key', () => {
    expect(Object.keys(defaults)).toEqual(Object.keys(contextKeys));
  });

  const known = Object.entries(defaults).flatMap(([key, its]) => (its ? [{ key, its }] : []));
  it.each(known)('changes nothing in the template: $key', ({ key, its }) => {
    const [value, others = {}] = its;
    const context = { ...others, [key]: value };
    expect(templateOf(context).toJSON()).toEqual(templateOf(others).toJSON());
  });
});

it('cdk.json has every feature flag that the CDK recommends, so that none changes resources later', () => {
  const recommended = readFileSync(
    'node_modules/aws-cdk-lib/recommended-feature-flags.json',
    'utf8',
  );
  expect(cdk.context).toMatchObject(JSON.parse(recommended));
});
