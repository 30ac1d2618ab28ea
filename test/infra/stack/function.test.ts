import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { operationNames, operations } from '../../../functions/contract/operations.ts';
import { readEnvironment } from '../../../functions/runtime/env.ts';
import { stageNames, stages } from '../../../infra/settings/stages.ts';
import { EncryptionKey } from '../../../infra/stack/encryption.ts';
import { OperationFunction } from '../../../infra/stack/function.ts';
import { TokenIssuer } from '../../../infra/stack/token-issuer.ts';
import { deployments } from '../../support/deployments.ts';
import {
  appOf,
  externalIssuer,
  idOf,
  propertiesOf,
  stackOf,
  templateOf,
} from '../../support/stack.ts';
import { acknowledgementsOf } from './acknowledgements.ts';

const template = templateOf({ stage: 'prod' });

/**
 * The context keys that reach a function. No other may change one: Lambda publishes no second version of
 * the same code and configuration, so a version whose logical id changes without them fails.
 */
const CONFIGURES_FUNCTIONS = new Set([
  'stage',
  'issuer',
  'audience',
  'jwksUri',
  'scopePrefix',
  'tenantClaim',
  'transitionPolicy',
  'databaseEndpoint',
  'filesBucket',
  'restoredTableStream',
]);

/** The logical ids of the versions. */
const versionsOf = (context: Record<string, string>) =>
  Object.keys(templateOf(context).findResources('AWS::Lambda::Version'));

/** The environment of the functions, resolved as CloudFormation would. */
function environmentOf(context: Record<string, string>): Record<string, string> {
  const [{ Environment: it } = {}] = propertiesOf(templateOf(context), 'AWS::Lambda::Function');
  const { Variables: variables } = it as { Variables: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : resolved(value),
    ]),
  );
}

const PSEUDO: Record<string, string> = {
  'AWS::Region': 'eu-west-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

function resolved(value: unknown): string {
  const { Ref: id, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  if (id !== undefined) return PSEUDO[id] ?? id;
  return (join?.[1] ?? [])
    .map((part) => (typeof part === 'string' ? part : resolved(part)))
    .join('');
}

describe('the functions', () => {
  it('deploy their bundles alone, without source maps', () => {
    const app = appOf({ stage: 'prod' });
    const deployed = Template.fromStack(stackOf(app));
    const { directory } = app.synth();
    for (const { Code: code } of propertiesOf(deployed, 'AWS::Lambda::Function')) {
      const { S3Key: key } = code as { S3Key: string };
      const folder = join(directory, `asset.${key.replace('.zip', '')}`);
      expect(readdirSync(folder)).toEqual(['index.mjs']);
    }
  });

  it.each(deployments)('get, in an environment that they accept, what %s says', (_, context) => {
    const region = context.region ?? 'eu-west-1';
    const ownIssuer = () => {
      const pool = idOf(templateOf(context), 'AWS::Cognito::UserPool');
      const issuer = `https://cognito-idp.${region}.amazonaws.com/${pool}`;
      return {
        issuer,
        audience: idOf(templateOf(context), 'AWS::Cognito::UserPoolClient'),
        jwksUri: `${issuer}/.well-known/jwks.json`,
        scopePrefix: 'recruitment/',
      };
    };
    const { issuer, audience, jwksUri, scopePrefix } = context.issuer ? context : ownIssuer();
    expect(readEnvironment({ ...environmentOf(context), AWS_REGION: region })).toMatchObject({
      endpoint: context.databaseEndpoint ?? `https://dynamodb.${region}.amazonaws.com`,
      issuer,
      audiences: [audience],
      jwksUri,
      scopePrefix,
      tenantClaim: context.tenantClaim,
      transitionPolicy: context.transitionPolicy ?? 'any',
      files: context.filesBucket && {
        bucket: context.filesBucket,
        url: `https://${context.filesBucket}.s3.${region}.amazonaws.com`,
      },
    });
  });

  it('keep their versions, and have an alias each for the newest', () => {
    template.allResources('AWS::Lambda::Version', {
      // A version that a rollback left behind would block the next deployment of the same code.
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
    const versions = Object.keys(template.findResources('AWS::Lambda::Version'));
    const aliases = propertiesOf(template, 'AWS::Lambda::Alias');
    expect(aliases.map(({ FunctionVersion: version }) => version)).toEqual(
      versions.map((id) => ({ 'Fn::GetAtt': [id, 'Version'] })),
    );
  });

  it.each(deployments)('have the same versions without what is not for them: %s', (_, context) => {
    const theirs = Object.fromEntries(
      Object.entries(context).filter(([key]) => CONFIGURES_FUNCTIONS.has(key)),
    );
    expect(versionsOf(context)).toEqual(versionsOf(theirs));
    const environments = (of: Record<string, string>) =>
      propertiesOf(templateOf(of), 'AWS::Lambda::Function').map(({ Environment: it }) => it);
    expect(environments(context)).toEqual(environments(theirs));
  });
});

describe.each(stageNames)('the functions of %s', (stage) => {
  it('run Node.js 24 on arm64, and have no concurrency of their own', () => {
    const of = templateOf({ stage });
    of.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      ReservedConcurrentExecutions: Match.absent(),
    });
    of.allResourcesProperties('AWS::Lambda::Alias', {
      ProvisionedConcurrencyConfig: Match.absent(),
    });
  });
});

describe('a function of a stage with concurrency of its own', () => {
  it('reserves and provisions it, and does not acknowledge that it reserves none', () => {
    const stack = new Stack(appOf(), 'Changed');
    const stage = { ...stages.prod, reservedConcurrency: 300, provisionedConcurrency: 2 };
    const { key: encryptionKey } = new EncryptionKey(stack, 'Encryption', { stage });
    const operation = 'get-application';
    new OperationFunction(stack, 'Function', { stage, encryptionKey, operation, environment: {} });
    const reserved = Template.fromStack(stack);
    reserved.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 300 });
    reserved.allResourcesProperties('AWS::Lambda::Alias', {
      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
    });
    const rules = acknowledgementsOf(stack).map(({ rule }) => rule);
    expect(rules).not.toContain('NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency');
  });
});

describe('the token issuer', () => {
  it('is a user pool with a scope for each operation and one machine client', () => {
    template.hasResourceProperties('AWS::Cognito::UserPoolResourceServer', {
      Scopes: operationNames.map((name) => Match.objectLike({ ScopeName: operations[name].scope })),
    });
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      GenerateSecret: true,
      AllowedOAuthFlows: ['client_credentials'],
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
    });
  });

  it('has a scope once that several operations need', () => {
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

  it('is not created if the deployment has an issuer', () => {
    const external = templateOf(externalIssuer);
    external.resourceCountIs('AWS::Cognito::UserPool', 0);
    expect(external.findOutputs('TokenEndpoint')).toEqual({});
  });
});
