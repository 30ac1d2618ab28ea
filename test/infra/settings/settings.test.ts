import { App } from 'aws-cdk-lib';
import { describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../../infra/settings/settings.ts';

const STREAM_OF_PROD =
  'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod/stream/2026-11-03T09:26:53.589';

const read = (context: Record<string, unknown>) =>
  readSettings(new App({ context, outdir: 'dist/test-cdk.out' }).node);

describe('the CDK context', () => {
  it('needs nothing: the stack then has an issuer of its own', () => {
    expect(read({})).toEqual({
      stage: 'dev',
      externalIssuer: undefined,
      tenantClaim: undefined,
      transitionPolicy: 'any',
      corsOrigins: [],
      databaseEndpoint: undefined,
      region: undefined,
      reservesConcurrency: true,
      restoredStreamArn: undefined,
      rollsOut: true,
      webhookUrl: 'https://webhook.example.com/job-status-changed',
      alarmEmail: undefined,
    });
  });

  it('names who gets e-mails of alarms', () => {
    expect(read({ alarmEmail: 'ops+alarms@mail.example.com' }).alarmEmail).toBe(
      'ops+alarms@mail.example.com',
    );
  });

  it('names an external issuer', () => {
    const { externalIssuer } = read({
      issuer: 'https://login.example.com/',
      audience: 'recruitment',
      jwksUri: 'https://login.example.com/keys',
      scopePrefix: 'recruitment/',
    });
    expect(externalIssuer).toEqual({
      issuer: 'https://login.example.com/',
      audience: 'recruitment',
      jwksUri: 'https://login.example.com/keys',
      scopePrefix: 'recruitment/',
    });
  });

  it('takes an issuer without TLS on this machine alone', () => {
    const local = { issuer: 'http://127.0.0.1:4000', audience: 'a' };
    expect(read(local).externalIssuer?.issuer).toBe(local.issuer);
    expect(() => read({ ...local, issuer: 'http://login.example.com' })).toThrow(
      'issuer must be an https URL',
    );
    expect(() => read({ ...local, issuer: 'http://127.0.0.1.example.com' })).toThrow(
      'issuer must be an https URL',
    );
  });

  it('lists the origins of browsers', () => {
    const origins = { corsOrigins: 'https://app.example.com, http://localhost:5173' };
    expect(read(origins).corsOrigins).toEqual(['https://app.example.com', 'http://localhost:5173']);
  });

  it('pins the region', () => {
    expect(read({ region: 'sa-east-1' }).region).toBe('sa-east-1');
    expect(read({ region: 'us-gov-west-1' }).region).toBe('us-gov-west-1');
  });

  it('reserves no concurrency where there is none to spare', () => {
    expect(read({ reservedConcurrency: 'none' }).reservesConcurrency).toBe(false);
    expect(read({ reservedConcurrency: 'derived' }).reservesConcurrency).toBe(true);
  });

  it.each([
    [{ stage: 'test' }, 'stage must be one of dev, staging, prod'],
    [{ alarmEmail: 'ops' }, 'alarmEmail must be one e-mail address'],
    [{ alarmEmail: 'ops@example' }, 'alarmEmail must be one e-mail address'],
    [{ alarmEmail: 'a@example.com,b@example.com' }, 'alarmEmail must be one e-mail address'],
    [{ alarmEmail: ' ops@example.com' }, 'alarmEmail must be one e-mail address'],
    [{ isuer: 'x' }, 'Unknown context key isuer'],
    [{ issuer: 'https://login.example.com' }, 'audience is missing'],
    [{ issuer: 'https://login.example.com', audience: ' ,' }, 'audience is missing'],
    [{ issuer: 'https://login.example.com ', audience: 'a' }, 'issuer must be an https URL'],
    [{ issuer: 'https://login.example.com?a=b', audience: 'a' }, 'issuer must be an https URL'],
    [{ tenantClaim: 'tenant' }, 'tenantClaim belongs to an issuer'],
    [{ issuer: 'login.example.com', audience: 'a' }, 'issuer must be an https URL'],
    [{ audience: 'a' }, 'audience belongs to an issuer'],
    [{ jwksUri: 'https://login.example.com/keys' }, 'jwksUri belongs to an issuer'],
    [{ scopePrefix: 'p/' }, 'scopePrefix belongs to an issuer'],
    [
      { issuer: 'https://login.example.com', audience: 'a', jwksUri: 'http://x.example.com' },
      'jwksUri must be an https URL',
    ],
    [
      { issuer: 'https://login.example.com', audience: 'a', scopePrefix: 'a b' },
      'scopePrefix may hold what a scope may hold',
    ],
    [
      { issuer: 'https://login.example.com', audience: 'a', tenantClaim: 7 },
      'tenantClaim must be a string',
    ],
    [{ transitionPolicy: 'strict' }, 'transitionPolicy must be any or lifecycle'],
    [{ transitionPolicy: 'toString' }, 'transitionPolicy must be any or lifecycle'],
    [{ databaseEndpoint: 'dynamodb' }, 'databaseEndpoint must be an https URL'],
    [{ restoredTableStream: 'restored' }, 'restoredTableStream must be the ARN of a table'],
    [
      { restoredTableStream: 'arn:aws:dynamodb:eu-west-1:111122223333:table/restored' },
      'restoredTableStream must be the ARN of a table',
    ],
    [{ restoredTableStream: STREAM_OF_PROD }, 'restored-prod, which is not of the stage dev'],
    [
      { restoredTableStream: STREAM_OF_PROD, stage: 'prod', region: 'us-east-1' },
      'restoredTableStream names a stream in eu-west-1, and the stack is deployed to us-east-1',
    ],
    [{ rollOut: 'now' }, 'rollOut must be staged, or direct'],
    [{ webhookUrl: 'webhook.example.com' }, 'webhookUrl must be an https URL'],
    [{ webhookUrl: 'http://localhost/hook' }, 'webhookUrl must be an https URL'],
    [{ webhookUrl: 'https://a.example.com/hook?token=1' }, 'webhookUrl must be an https URL'],
    [{ corsOrigins: 'https://app.example.com/path' }, 'corsOrigins must list origins'],
    [{ region: 'Frankfurt' }, 'region must be the name of a region, such as eu-west-1'],
    [{ region: 'eu-west-1a' }, 'region must be the name of a region, such as eu-west-1'],
    [{ reservedConcurrency: '10' }, 'reservedConcurrency must be derived, or none'],
    [{ corsOrigins: '*' }, 'corsOrigins must list origins'],
    [{ corsOrigins: 'https://app.example.com,' }, 'corsOrigins must list origins'],
  ])('refuses %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });

  it('takes a restored table of the region that is deployed to, and of no other', () => {
    const context = { restoredTableStream: STREAM_OF_PROD, stage: 'prod' };
    vi.stubEnv('CDK_DEFAULT_REGION', 'us-east-1');
    expect(() => read(context)).toThrow('names a stream in eu-west-1');
    expect(read({ ...context, region: 'eu-west-1' }).restoredStreamArn).toBe(STREAM_OF_PROD);
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
    expect(read(context).restoredStreamArn).toBe(STREAM_OF_PROD);
    vi.unstubAllEnvs();
  });

  it("leaves the tools' own keys alone", () => {
    const keys = {
      'aws:cdk:enable-path-metadata': true,
      '@aws-cdk/aws-iam:minimizePolicies': true,
      'availability-zones:account=1:region=us-east-1': ['us-east-1a'],
    };
    expect(() => read(keys)).not.toThrow();
  });
});
