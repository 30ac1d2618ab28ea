import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/operations/operations.ts';
import { readEnvironment } from '../../../functions/platform/environment.ts';
import { EncryptionKey } from '../../../infra/stack/encryption.ts';
import { OperationFunction } from '../../../infra/stack/function.ts';
import { stages } from '../../../infra/stack/settings/read-settings.ts';
import { settingsTable } from '../../../infra/stack/settings/settings.ts';
import type { Stage } from '../../../infra/stack/stages/stage.ts';
import { TokenIssuer } from '../../../infra/stack/token-issuer.ts';
import { deployments } from '../../support/deployments.ts';
import {
  appOf,
  idOf,
  nameOf,
  propertiesOf,
  stackOf,
  templateOf,
  textOf,
} from '../../support/stack.ts';

/**
 * Settings that may change a function. If another setting changed the logical id of a version, the deployment would
 * fail: Lambda does not publish the same code and configuration twice.
 */
const CONFIGURES_FUNCTIONS = new Set([
  ...Object.entries(settingsTable).flatMap(([key, its]) => ('variable' in its ? [key] : [])),
  'stage',
  'filesBucket',
  'restoredTableStream',
]);

const versionsOf = (context: Record<string, string>) =>
  Object.keys(templateOf(context).findResources('AWS::Lambda::Version'));

function environmentOf(
  context: Record<string, string>,
  region: string,
  operation = 'GetApplication',
): Record<string, string> {
  const template = templateOf(context);
  const { Properties: properties } =
    template.findResources('AWS::Lambda::Function')[
      idOf(template, 'AWS::Lambda::Function', operation)
    ] ?? {};
  const { Variables: variables } = properties.Environment as { Variables: Record<string, unknown> };
  const resolved = (value: unknown) =>
    textOf(value).replace('AWS::Region', region).replace('AWS::URLSuffix', 'amazonaws.com');
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, resolved(value)]),
  );
}

describe('the functions', () => {
  it('deploy only their bundles, without source maps', () => {
    const app = appOf({ stage: 'prod' });
    const deployed = Template.fromStack(stackOf(app));
    const { directory } = app.synth();
    for (const { Code: code } of propertiesOf(deployed, 'AWS::Lambda::Function')) {
      const { S3Key: key } = code as { S3Key: string };
      const folder = join(directory, `asset.${key.replace('.zip', '')}`);
      expect(readdirSync(folder)).toEqual(['index.mjs']);
    }
  });

  it.each(deployments)('get valid environment variables for %s', (_, context) => {
    const region = context.region ?? 'eu-west-1';
    const ownIssuer = () => {
      const template = templateOf(context);
      const pool = nameOf(idOf(template, 'AWS::Cognito::UserPool'));
      const clients = Object.keys(template.findResources('AWS::Cognito::UserPoolClient'));
      const issuer = `https://cognito-idp.${region}.amazonaws.com/${pool}`;
      return {
        issuer,
        audience: clients.map(nameOf).join(','),
        jwksUri: `${issuer}/.well-known/jwks.json`,
        scopePrefix: 'recruitment/',
      };
    };
    const { issuer, audience, jwksUri, scopePrefix } = context.issuer ? context : ownIssuer();
    const variables = environmentOf(context, region);
    // This function does not read files.
    const ofStatus = environmentOf(context, region, 'UpdateJobStatus');
    expect(Object.keys(ofStatus).filter((name) => name.startsWith('FILES_'))).toEqual([]);
    expect(variables).toMatchObject(ofStatus);
    expect(variables.SCOPE_CLAIMS).toBe(context.scopeClaims);
    expect(readEnvironment({ ...variables, AWS_REGION: region })).toMatchObject({
      endpoint: context.databaseEndpoint ?? `https://dynamodb.${region}.amazonaws.com`,
      issuer,
      audiences: audience?.split(','),
      jwksUri,
      scopePrefix,
      tenantClaim: context.tenantClaim,
      transitionPolicy: context.transitionPolicy ?? 'any',
      files: context.filesBucket && {
        buckets: context.filesBucket.split(','),
        url: `https://*.s3.${region}.amazonaws.com`,
      },
    });
  });

  it.each(deployments)(
    'keep their versions if only settings for other resources change: %s',
    (_, context) => {
      const theirs = Object.fromEntries(
        Object.entries(context).filter(
          // `restoredTableStream` is accepted only together with `region`.
          ([key]) =>
            CONFIGURES_FUNCTIONS.has(key) || (context.restoredTableStream && key === 'region'),
        ),
      );
      expect(versionsOf(context)).toEqual(versionsOf(theirs));
      const environments = (of: Record<string, string>) =>
        propertiesOf(templateOf(of), 'AWS::Lambda::Function').map(({ Environment: it }) => it);
      expect(environments(context)).toEqual(environments(theirs));
    },
  );
});

describe('a function of a stage that reserves concurrency', () => {
  it('reserves and provisions concurrency', () => {
    const stack = new Stack(appOf(), 'Changed');
    const stage: Stage = { ...stages.prod, reservesConcurrency: true, provisionedConcurrency: 2 };
    const { key: encryptionKey } = new EncryptionKey(stack, 'Encryption', { stage });
    const operation = 'get-application';
    new OperationFunction(stack, 'Function', { stage, encryptionKey, operation, environment: {} });
    const reserved = Template.fromStack(stack);
    // 60 + 30 × 8: 60 requests at once, and 30 a second that take 8 s each (docs/production.md).
    reserved.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 300 });
    reserved.allResourcesProperties('AWS::Lambda::Alias', {
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
    });
  });
});

describe('the token issuer', () => {
  it('lists a scope once if several operations need it', () => {
    const stack = new Stack(appOf(), 'SharedScope');
    const one = { scope: 'applications:read', summary: 'Read an application' };
    const another = { scope: 'applications:read', summary: 'Read a file' };
    const third = { scope: 'jobs:write', summary: 'Close a job' };
    new TokenIssuer(stack, 'TokenIssuer', { stage: stages.dev, operations: [one, third, another] });
    const shared = Template.fromStack(stack);
    shared.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', {
      Scopes: [
        { ScopeName: 'applications:read', ScopeDescription: 'Read an application; Read a file' },
        { ScopeName: 'jobs:write', ScopeDescription: 'Close a job' },
      ],
    });
    const [client] = propertiesOf(shared, 'AWS::Cognito::UserPoolClient');
    expect(client?.AllowedOAuthScopes).toHaveLength(2);
  });

  it('gives the probe of prod a client whose only scope opens nothing', () => {
    const scopesIn = (stage: string) =>
      propertiesOf(templateOf({ stage }), 'AWS::Cognito::UserPoolClient').map((client) =>
        [client.AllowedOAuthScopes].flat().map((scope) => textOf(scope).replace(/.*\//, '')),
      );
    const opening = operationNames.map((name) => operations[name].scope);
    expect(scopesIn('prod')).toEqual([opening, ['probe']]);
    expect(opening).not.toContain('probe');
    expect(scopesIn('dev')).toEqual([opening]);
  });
});
