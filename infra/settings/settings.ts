import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Node } from 'constructs';
import type { TransitionPolicyName } from '../../functions/domain/job.ts';
import { type Context, contextKeys, isContext, namesIn } from './context-keys.ts';
import type { StageName } from './stages.ts';

/** The token issuer of a deployment: its own user pool, or one that it names. */
export interface IssuerSettings {
  issuer: string;
  /** Accepted audiences, separated by commas. */
  audience: string;
  jwksUri: string | undefined;
  scopePrefix: string;
}

/** The API's own name. */
export interface DomainSettings {
  name: string;
  certificateArn: string;
  hostedZoneId: string | undefined;
  /** If set, clients must present a certificate of one of its authorities (mutual TLS). */
  trustStore: { bucket: string; key: string; version: string | undefined } | undefined;
}

/** What a deployment chooses, by the context keys of the same names. */
export interface Settings {
  stage: StageName;
  /** Undefined: the stack creates a user pool. */
  issuer: IssuerSettings | undefined;
  tenantClaim: string | undefined;
  transitionPolicy: TransitionPolicyName;
  corsOrigins: string[];
  databaseEndpoint: string | undefined;
  region: string | undefined;
  restoredTableStream: string | undefined;
  rollOut: 'direct' | undefined;
  alarmEmail: string | undefined;
  /** Undefined: the API answers at its default endpoint. */
  domain: DomainSettings | undefined;
}

/** Context keys of the CDK's own, such as `aws:cdk:…`, `@aws-cdk/…` and cached look-ups. */
const CDK_CONTEXT_KEY = /[@:/]|^(tree|availability-zones)$/;

/**
 * Reads and checks the settings of a deployment; the only place that does.
 * @throws Error that names the context key which is unknown, missing or wrong, and what to do.
 */
export function readSettings(node: Node): Settings {
  const all: Record<string, unknown> = node.getAllContext();
  const context: unknown = Object.fromEntries(
    Object.entries(all).filter(([key, value]) => value !== '' && !CDK_CONTEXT_KEY.test(key)),
  );
  if (!isContext(context)) throw new Error(messageOf(isContext.errors?.[0]));
  const { restoredTableStream, certificateArn, region, stage } = context;
  // If the region is not pinned, the CDK's command line says where it deploys to.
  const deployedTo = region ?? process.env.CDK_DEFAULT_REGION;
  checkRegion('restoredTableStream', restoredTableStream, deployedTo);
  checkRegion('certificateArn', certificateArn, deployedTo);
  checkStage(restoredTableStream, stage);
  return {
    stage,
    issuer: issuerOf(context),
    tenantClaim: context.tenantClaim,
    transitionPolicy: context.transitionPolicy,
    corsOrigins: namesIn(context.corsOrigins),
    databaseEndpoint: context.databaseEndpoint,
    region,
    restoredTableStream,
    rollOut: context.rollOut,
    alarmEmail: context.alarmEmail,
    domain: domainOf(context),
  };
}

function messageOf({ keyword, instancePath, params }: Partial<ErrorObject> = {}): string {
  if (keyword === 'additionalProperties') {
    const names = Object.keys(contextKeys).join(', ');
    return `Unknown context key ${params?.additionalProperty}: the keys are ${names}.`;
  }
  if (keyword === 'dependentRequired') {
    const { property, missingProperty: missing } = params ?? {};
    return `The context key ${property} needs ${missing}: set ${missing} to ${expectedValue(missing)}.`;
  }
  const key = instancePath?.slice(1) ?? '';
  return `The context key ${key} must be ${expectedValue(key)}.`;
}

/** What the value of a key must be, in words, with an example. */
function expectedValue(key: string): string | undefined {
  const schema = Object.entries(contextKeys).find(([name]) => name === key)?.[1];
  return schema && 'examples' in schema
    ? `${schema.title}, such as ${schema.examples[0]}`
    : schema?.title;
}

function issuerOf({ issuer, audience, jwksUri, scopePrefix = '' }: Context) {
  if (issuer === undefined || audience === undefined) return undefined;
  return { issuer, audience, jwksUri, scopePrefix };
}

function domainOf(context: Context): DomainSettings | undefined {
  const { domainName: name, certificateArn, hostedZoneId, trustStore } = context;
  if (name === undefined || certificateArn === undefined) return undefined;
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(trustStore ?? '') ?? [];
  return {
    name,
    certificateArn,
    hostedZoneId,
    trustStore:
      trustStore === undefined ? undefined : { bucket, key, version: context.trustStoreVersion },
  };
}

/** API Gateway takes certificates of its own region alone, and a pipe reads streams of its own. */
function checkRegion(key: string, arn: string | undefined, deployedTo: string | undefined): void {
  const region = arn?.split(':')[3];
  if (region === undefined || deployedTo === undefined || region === deployedTo) return;
  throw new Error(
    `The context key ${key} names a resource in ${region}, but the stack is deployed to ` +
      `${deployedTo}: use one in ${deployedTo}, or deploy to ${region} with the context key region.`,
  );
}

/** A table that was restored for one stage is not used in another. */
function checkStage(streamArn: string | undefined, stage: StageName): void {
  const table = /:table\/([^/]+)/.exec(streamArn ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new Error(
    `The context key restoredTableStream names the table ${table}, which is not of the stage ` +
      `${stage}: the name of a restored table must contain that of its stage, between hyphens.`,
  );
}
