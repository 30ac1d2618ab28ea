import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { deployments, ownDomain, restoredStream } from '../../support/deployments.ts';
import { externalIssuer, propertiesOf, templateOf } from '../../support/stack.ts';

const read = (context: Record<string, unknown>) =>
  readSettings(new App({ context, outdir: 'dist/test-cdk.out' }).node);

describe('the settings', () => {
  it('need no context: the stack then creates its own issuer', () => {
    expect(read({})).toEqual({ stage: 'dev', transitionPolicy: 'any' });
    expect(read({ issuer: '', alarmEmail: '' })).toEqual(read({}));
  });

  it('accept an issuer without TLS only on this machine', () => {
    const issuer = 'http://127.0.0.1:4000';
    expect(read({ ...externalIssuer, issuer }).issuer).toBe(issuer);
  });

  it("ignore the CDK's own context keys", () => {
    const keys = {
      'aws:cdk:enable-path-metadata': true,
      '@aws-cdk/aws-iam:minimizePolicies': true,
      'availability-zones:account=1:region=us-east-1': ['us-east-1a'],
    };
    expect(read(keys)).toEqual(read({}));
  });

  it.each([
    ['stage', {}, ['test', 'toString', 7]],
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
    ['tenantClaim', externalIssuer, [7]],
    ['transitionPolicy', {}, ['strict', 'toString']],
    ['databaseEndpoint', {}, ['dynamodb']],
    ['corsOrigins', {}, ['*', 'https://app.example.com/path', 'https://app.example.com,']],
    ['region', {}, ['Frankfurt', 'eu-west-1a']],
    ['filesBucket', {}, ['example.files', 's3://example-files', 'Files', 'ab', 'files-']],
    ['filesKey', { filesBucket: 'example-files' }, ['12345678', 'arn:aws:s3:::example-files']],
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
    ['trustStore', ownDomain, ['authority.pem', 's3://bucket', 's3://Bucket/a.pem']],
  ])('reject a wrong value of %s and say what it must be', (key, others, values) => {
    for (const value of values) {
      expect(() => read({ ...others, [key]: value })).toThrow(`The context key ${key} must be `);
    }
  });

  it.each([
    [{ issuer: externalIssuer.issuer }, 'issuer needs audience'],
    [{ audience: 'a' }, 'audience needs issuer'],
    [{ jwksUri: 'https://login.example.com/keys' }, 'jwksUri needs issuer'],
    [{ scopePrefix: 'p/' }, 'scopePrefix needs issuer'],
    [{ tenantClaim: 'tenant' }, 'tenantClaim needs issuer'],
    [{ domainName: 'api.example.com' }, 'domainName needs certificateArn'],
    [{ certificateArn: ownDomain.certificateArn }, 'certificateArn needs domainName'],
    [{ filesKey: 'arn:aws:kms:eu-west-1:111122223333:key/1' }, 'filesKey needs filesBucket'],
    [{ hostedZoneId: 'Z1' }, 'hostedZoneId needs domainName'],
    [{ trustStore: 's3://bucket/a.pem' }, 'trustStore needs domainName'],
    [{ ...ownDomain, trustStoreVersion: 'v1' }, 'trustStoreVersion needs trustStore'],
    [{ isuer: 'x' }, 'Unknown context key isuer: the keys are stage, issuer, '],
    [{ restoredTableStream: restoredStream('prod') }, 'which is not of the stage dev'],
  ])('reject %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});

describe('the documentation of the settings', () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*$/gm)];

  it('has the context keys as the schema has them', () => {
    const expected = Object.entries(contextKeys).map(([key, schema]) => {
      const example = 'examples' in schema ? `, such as \`${schema.examples[0]}\`` : '';
      const preset = 'default' in schema ? `\`${schema.default}\`` : 'none';
      return `| \`${key}\` | ${schema.description} | ${schema.title}${example} | ${preset} |`;
    });
    expect(rows.map(([row]) => row).slice(0, expected.length)).toEqual(expected);
  });

  it('has examples that are accepted, and read as they are', () => {
    const examples = Object.fromEntries(
      Object.entries(contextKeys).flatMap(([key, schema]) =>
        'examples' in schema ? [[key, schema.examples[0]]] : [],
      ),
    );
    expect(read({ ...examples, stage: 'prod' })).toEqual({
      ...examples,
      stage: 'prod',
      transitionPolicy: 'any',
    });
  });

  it('has the environment variables that the stack sets, and that of Lambda', () => {
    const ofOneStage = deployments.filter(([, { stage }]) => stage === 'dev');
    const variables = ofOneStage.flatMap(([, context]) =>
      propertiesOf(templateOf(context), 'AWS::Lambda::Function').flatMap(({ Environment: it }) =>
        Object.keys((it as { Variables: object }).Variables),
      ),
    );
    const documented = rows.slice(Object.keys(contextKeys).length).map(([, name]) => name);
    expect(documented.toSorted()).toEqual([...new Set([...variables, 'AWS_REGION'])].toSorted());
  });
});
