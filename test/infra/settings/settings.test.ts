import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { contextKeys } from '../../../infra/settings/context-keys.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { deployments, ownDomain, restoredStream } from '../../support/deployments.ts';
import { externalIssuer, propertiesOf, templateOf } from '../../support/stack.ts';

const read = (context: Record<string, unknown>) =>
  readSettings(new App({ context, outdir: 'dist/test-cdk.out' }).node);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the settings', () => {
  it('need no context: the stack then creates its own issuer', () => {
    expect(read({})).toEqual({
      stage: 'dev',
      issuer: undefined,
      tenantClaim: undefined,
      transitionPolicy: 'any',
      corsOrigins: [],
      databaseEndpoint: undefined,
      region: undefined,
      restoredTableStream: undefined,
      rollOut: undefined,
      alarmEmail: undefined,
      domain: undefined,
    });
    expect(read({ issuer: '', alarmEmail: '' })).toEqual(read({}));
  });

  it('hold what the context says', () => {
    const context = {
      ...externalIssuer,
      jwksUri: 'https://login.example.com/keys',
      scopePrefix: 'recruitment/',
      tenantClaim: 'org_id',
      transitionPolicy: 'lifecycle',
      corsOrigins: 'https://app.example.com, http://localhost:5173',
      region: 'us-gov-west-1',
      alarmEmail: 'ops+alarms@mail.example.com',
      rollOut: 'direct',
    };
    expect(read(context)).toMatchObject({
      issuer: {
        ...externalIssuer,
        jwksUri: 'https://login.example.com/keys',
        scopePrefix: 'recruitment/',
      },
      tenantClaim: 'org_id',
      transitionPolicy: 'lifecycle',
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      region: 'us-gov-west-1',
      alarmEmail: 'ops+alarms@mail.example.com',
      rollOut: 'direct',
    });
  });

  it('hold the domain name of the API with its trust store', () => {
    const context = {
      ...ownDomain,
      hostedZoneId: 'Z0123456789ABCDEFGHIJ',
      trustStore: 's3://example-trust/a/b.pem',
      trustStoreVersion: 'v1',
    };
    expect(read(context).domain).toEqual({
      name: 'api.example.com',
      certificateArn: ownDomain.certificateArn,
      hostedZoneId: 'Z0123456789ABCDEFGHIJ',
      trustStore: { bucket: 'example-trust', key: 'a/b.pem', version: 'v1' },
    });
    expect(read(ownDomain).domain?.trustStore).toBeUndefined();
  });

  it('accept an issuer without TLS only on this machine', () => {
    const issuer = 'http://127.0.0.1:4000';
    expect(read({ ...externalIssuer, issuer }).issuer?.issuer).toBe(issuer);
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
    [{ hostedZoneId: 'Z1' }, 'hostedZoneId needs domainName'],
    [{ trustStore: 's3://bucket/a.pem' }, 'trustStore needs domainName'],
    [{ ...ownDomain, trustStoreVersion: 'v1' }, 'trustStoreVersion needs trustStore'],
    [{ isuer: 'x' }, 'Unknown context key isuer: the keys are stage, issuer, '],
    [{ restoredTableStream: restoredStream('prod') }, 'which is not of the stage dev'],
  ])('reject %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });

  it.each([{ stage: 'prod', restoredTableStream: restoredStream('prod') }, ownDomain])(
    'reject what is in another region than the stack: %j',
    (context) => {
      expect(() => read(context)).not.toThrow();
      vi.stubEnv('CDK_DEFAULT_REGION', 'us-east-1');
      expect(() => read(context)).toThrow('in eu-west-1, but the stack is deployed to us-east-1');
      expect(() => read({ ...context, region: 'eu-west-1' })).not.toThrow();
      vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
      expect(() => read(context)).not.toThrow();
    },
  );
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

  it('has examples that are accepted', () => {
    const examples = Object.entries(contextKeys).flatMap(([key, schema]) =>
      'examples' in schema ? [[key, schema.examples[0]]] : [],
    );
    expect(() => read({ ...Object.fromEntries(examples), stage: 'prod' })).not.toThrow();
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
