import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { describe, expect, it, vi } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { readSettings, stages } from '../../../infra/stack/read-settings.ts';
import { settingsTable, stageNames } from '../../../infra/stack/settings.ts';
import { ownDomain, restoredTable } from '../../support/deployments.ts';
import { markdownTable, pageWith } from '../../support/pages.ts';
import { answers, externalIssuer, templateOf } from '../../support/stack.ts';

const filesKey = 'arn:aws:kms:eu-west-1:111122223333:key/1';
const keys = `${filesKey.replace('eu', 'us')},${filesKey}`;
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
  const required = Object.keys(settingsTable).filter((key) => key in answers);

  it.each(stageNames)(
    'of %s in this repository is valid, or names all that a team must decide',
    (stage) => {
      const file = `infra/stack/stages/${stage}.ts`;
      if (Object.keys(stages[stage].settings).length === 0) {
        const lines = required.map(
          (key) => `\n  ${key}: .*${key === 'issuer' ? 'audience.*' : ''}`,
        );
        const start = `^${file}: .*\`settings\` in ${file}; flags \\(-c\\) do not count for them:`;
        const message = new RegExp(`${start}${lines.join('')}$`);
        expect(() => readSettings(nodeOf({ stage }))).toThrow(message);
        // The same settings as flags (`-c`) are not accepted: a forgotten flag would change who may read what.
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

  it.each([...required, 'audience'])('must state %s, even if a flag does', (key) => {
    const { [key]: _, ...others } = examples;
    const message = `${FILE}: the key ${key} is missing. Set it to `;
    expect(() => readFile(others)).toThrow(message);
    expect(() => readFile(others, { [key]: 'none' })).toThrow(message);
    const sentence = 'A flag (-c) does not count for it.';
    if (key !== 'audience') expect(() => readFile(others)).toThrow(sentence);
  });

  it.each([
    [{ ...answers, isuer: 'cognito' }, 'unknown key isuer. The keys are issuer, '],
    [{ ...answers, toString: 'x' }, 'unknown key toString. '],
    [{ ...answers, rollOut: 'direct' }, 'rollOut cannot be set in a file. Use a flag, -c rollOut='],
    [{ ...answers, region: 7 }, 'region must be `any` or the name of a region, such as eu-west-1.'],
    [{ ...answers, audience: undefined }, 'audience must be a list of audiences'],
    [{ ...answers, tenantClaim: 'org_id' }, 'tenantClaim belongs to an issuer of your own, '],
    [{ ...answers, jwksUri: 'https://login.example.com/keys' }, 'jwksUri belongs to an issuer '],
    [{ ...answers, scopePrefix: 'recruitment/' }, 'scopePrefix belongs to an issuer '],
    [{ ...answers, scopeClaims: 'roles' }, 'scopeClaims belongs to an issuer '],
    [{ ...answers, audience: 'recruitment' }, 'audience belongs to an issuer '],
  ])('is named by the error if it contains %j', (content, message) => {
    expect(() => readFile(content)).toThrow(`${FILE}: ${message}`);
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
  it('accept a query only in the address of the signing keys', () => {
    const jwksUri = 'https://login.example.com/discovery/v2.0/keys?appid=1';
    expect(read({ ...externalIssuer, jwksUri }).jwksUri).toBe(jwksUri);
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
        'http://localhost:3001',
      ],
    ],
    ['audience', externalIssuer, [' ,']],
    ['scopeClaims', externalIssuer, [' ,', 'my roles']],
    [
      'jwksUri',
      externalIssuer,
      ['http://x.example.com', 'http://127.0.0.1:3001/jwks', 'https://x.example.com#keys'],
    ],
    ['scopePrefix', externalIssuer, ['a b', 'a"b']],
    ['tenantClaim', externalIssuer, [7, '', ' ', 'org_id ']],
    ['transitionPolicy', {}, ['strict', 'toString']],
    ['databaseEndpoint', {}, ['dynamodb', 'http://localhost:8000', 'https://x.example.com?a']],
    [
      'corsOrigins',
      {},
      [
        '*',
        'https://*',
        'https://*.example.com',
        'https://app.example.com/path',
        'https://app.example.com,',
      ],
    ],
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

describe('an issuer that no token can name', () => {
  const directory = '9188040d-6c67-4b5b-b112-36a304b66dad';
  const entra = 'https://login.microsoftonline.com/YOUR_TENANT_ID/v2.0';

  it.each([
    ['https://login.microsoftonline.com/{tenantid}/v2.0', entra],
    ['https://login.microsoftonline.com/common/v2.0', entra],
    ['https://login.microsoftonline.com/organizations/v2.0', entra],
    ['https://login.microsoftonline.com/consumers', entra],
    ['https://login.microsoftonline.us/common/', entra.replace('.com', '.us')],
    ['https://{tenant}.example.com', "your tenant's own issuer"],
    ['https://login.example.com/{realm}', "your tenant's own issuer"],
    ['https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0', entra],
    ['https://login.microsoftonline.com/COMMON/', entra],
    [`https://login.microsoftonline.com/${directory.toUpperCase()}/v2.0`, entra],
    ['https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration', entra],
    ['https://login.partner.microsoftonline.cn/common', 'microsoftonline.cn/YOUR_TENANT_ID/v2.0.'],
    ['https://sts.windows.net/common/', 'https://sts.windows.net/YOUR_TENANT_ID/.'],
    [`https://sts.windows.net/${directory}`, `https://sts.windows.net/${directory}/.`],
    [`https://sts.windows.net/${directory}/v2.0`, `https://sts.windows.net/${directory}/.`],
    [`https://login.microsoftonline.com/${directory}/`, entra.replace('YOUR_TENANT_ID', directory)],
    [entra, entra],
    ['https://acme.okta.com', 'https://acme.okta.com/oauth2/default.'],
    ['https://acme.oktapreview.com/', 'https://acme.oktapreview.com/oauth2/default.'],
    ['https://accounts.google.com', 'an issuer that has Google as its identity provider.'],
    ['https://tenant.eu.auth0.com', 'https://tenant.eu.auth0.com/.'],
    ['https://a.auth0.com/.well-known/openid-configuration', 'issuer, https://a.auth0.com/.'],
    ['https://a.example.com/r/.well-known/openid-configuration', 'https://a.example.com/r.'],
    ['https://a.example.com/r/.well-known/openid-configuration/', 'https://a.example.com/r.'],
    ['https://a.example.com/.well-known/oauth-authorization-server', 'https://a.example.com.'],
    ['https://a.example.com/.well-known/oauth-authorization-server/r', 'https://a.example.com/r.'],
  ])('is refused with the right form: %s', (issuer, form) => {
    expect(() => read({ ...externalIssuer, issuer })).toThrow(form);
  });

  it.each([
    `https://login.microsoftonline.com/${directory}/v2.0`,
    `https://login.microsoftonline.com/${directory}/v2.0/`,
    `https://sts.windows.net/${directory}/`,
    'https://acme.okta.com/oauth2/aus9',
    'https://tenant.auth0.com/',
    'https://auth0.com.example.com',
    'https://common.example.com/common/',
    'https://login.example.com/commons',
  ])('is not %s', (issuer) => {
    expect(read({ ...externalIssuer, issuer }).issuer).toBe(issuer);
  });
});

describe('a region', () => {
  it.each([
    ['ca-west-1', 'has no EventBridge Pipes, '],
    ['ap-southeast-7', 'has no EventBridge Pipes, '],
    ['cn-north-1', 'belongs to the partition aws-cn. '],
    ['us-gov-west-1', 'belongs to the partition aws-us-gov. '],
  ])('in which the service cannot be deployed is refused: %s', (region, reason) => {
    const message = `The region ${region} ${reason}`;
    expect(() => read({ region })).toThrow(message);
    // If no region is pinned, the region of the credentials counts.
    const variables = { CDK_DEFAULT_REGION: region };
    expect(() => readSettings(nodeOf({}), answers, variables)).toThrow(message);
    const pinned = readSettings(nodeOf({ region: 'eu-west-1' }), answers, variables);
    expect(pinned.region).toBe('eu-west-1');
  });

  it.each([
    ['eu-wset-1', 'The region eu-wset-1 is not known. Do you mean eu-west-1?'],
    ['us-est-1', 'Do you mean us-east-1?'],
  ])('%s is accepted with a warning, because it may be newer than the CDK', (region, warning) => {
    const emitted = vi.spyOn(process, 'emitWarning').mockReturnValue();
    expect(read({ region }).region).toBe(region);
    expect(emitted.mock.calls).toEqual([[expect.stringContaining(warning)]]);
    emitted.mockRestore();
  });
});

// Lambda does not publish an unchanged function again, so its version must keep its logical id.
it.each<[key: keyof typeof settingsTable, value: string, others?: Record<string, string>]>([
  ['stage', 'dev'],
  ['rollOut', 'direct'],
  ['issuer', 'cognito'],
  ['scopePrefix', '', externalIssuer],
  ['tenantClaim', 'none', externalIssuer],
  ['transitionPolicy', 'any'],
  ['databaseEndpoint', databaseEndpoint, { region: 'eu-west-1' }],
  ['region', 'any'],
  ['alarmEmail', 'none'],
])(
  '%s changes nothing in the template if it is set to its default, %j',
  (key, value, others = {}) => {
    const template = templateOf({ ...others, [key]: value });
    expect(template.toJSON()).toEqual(templateOf(others).toJSON());
  },
);

it('docs/reference/settings.md has every setting (`npm run generate` writes it)', async () => {
  const rows = Object.entries(settingsTable).map(([key, its]) => [
    `\`${key}\``,
    its.text,
    'needs' in its ? `\`${its.needs}\`` : 'isOfOwnIssuer' in its ? 'an issuer of your own' : '',
    'default' in its ? its.default : 'isRequired' in its ? 'required' : '',
  ]);
  const table = markdownTable(['setting', 'meaning', 'needs', 'default'], rows);
  const page = 'docs/reference/settings.md';
  await expect(pageWith(page, 'settings', table)).toMatchFileSnapshot(`../../../${page}`);
});

it('cdk.json has every feature flag that the CDK recommends, so that none changes resources later', () => {
  const recommended = readFileSync(
    'node_modules/aws-cdk-lib/recommended-feature-flags.json',
    'utf8',
  );
  expect(cdk.context).toMatchObject(JSON.parse(recommended));
});
