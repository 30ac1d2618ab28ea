import type { Node } from 'constructs';
import type { TransitionPolicyName } from '../../functions/domain/job.ts';
import {
  alarmEmail,
  origins,
  regionName,
  reservesConcurrency,
  rollsOut,
  scopePrefix,
  secureUrl,
  stageName,
  tableStreamArn,
  transitionPolicy,
  webhookUrl,
} from './context-values.ts';
import { type EdgeSettings, edgeKeys, readEdgeSettings } from './edge-settings.ts';
import type { StageName } from './stages.ts';

/** The token issuer that a deployment brings; without one, the stack makes its own. */
export interface ExternalIssuer {
  issuer: string;
  audience: string;
  jwksUri: string | undefined;
  scopePrefix: string;
}

/** What a deployment chooses, read from the CDK context. */
export interface Settings extends EdgeSettings {
  stage: StageName;
  externalIssuer: ExternalIssuer | undefined;
  tenantClaim: string | undefined;
  transitionPolicy: TransitionPolicyName;
  corsOrigins: string[];
  /** Another address of DynamoDB than the region's, such as a VPC endpoint or an embedded one. */
  databaseEndpoint: string | undefined;
  /** The region that the stack is deployed to, and no other; without it, that of the credentials. */
  region: string | undefined;
  /** Whether the functions reserve what their throttles ask for of the account's concurrency. */
  reservesConcurrency: boolean;
  /** The stream of a table that was restored from a backup, to be worked on in place of the stack's own. */
  restoredStreamArn: string | undefined;
  /** Whether CodeDeploy rolls new versions out; without it, aliases turn at once. */
  rollsOut: boolean;
  /** Where the example of a subscription, a disabled rule, would post events to. */
  webhookUrl: string;
  /** Who gets an e-mail for each alarm; nobody, where the deployment subscribes something else. */
  alarmEmail: string | undefined;
}

/** The context keys that a deployment may set. */
export const contextKeys = [
  'stage',
  'issuer',
  'audience',
  'jwksUri',
  'scopePrefix',
  'tenantClaim',
  'transitionPolicy',
  'corsOrigins',
  'databaseEndpoint',
  'region',
  'reservedConcurrency',
  'restoredTableStream',
  'rollOut',
  'webhookUrl',
  'alarmEmail',
  ...edgeKeys,
];
const OF_EXTERNAL_ISSUER = ['audience', 'jwksUri', 'scopePrefix', 'tenantClaim'];

/** Nobody's: the domain is reserved for examples (RFC 2606, section 3). */
const EXAMPLE_WEBHOOK = 'https://webhook.example.com/job-status-changed';

/** The tools' own context keys, such as `aws:cdk:…`, `@aws-cdk/…` and cached look-ups. */
const OF_TOOLS = /[@:/]|^(tree|availability-zones)$/;

/**
 * Reads and checks the deployment's settings: `cdk deploy -c issuer=… -c audience=…`.
 * @throws Error that names the context key which is unknown, missing or wrong, and what to do.
 */
export function readSettings(node: Node): Settings {
  const context: Readonly<Record<string, unknown>> = node.getAllContext();
  for (const key of Object.keys(context)) {
    if (!contextKeys.includes(key) && !OF_TOOLS.test(key)) {
      throw new Error(`Unknown context key ${key}: the keys are ${contextKeys.join(', ')}.`);
    }
  }
  const stage = stageName(text(context, 'stage') ?? 'dev');
  const region = regionName(text(context, 'region'));
  // Where the region is not pinned, the CDK's command line says where it deploys to.
  const deployedTo = region ?? process.env.CDK_DEFAULT_REGION;
  return {
    stage,
    externalIssuer: externalIssuer(context),
    tenantClaim: text(context, 'tenantClaim'),
    transitionPolicy: transitionPolicy(text(context, 'transitionPolicy') ?? 'any'),
    corsOrigins: origins(text(context, 'corsOrigins')),
    databaseEndpoint: optionalUrl(context, 'databaseEndpoint'),
    region,
    reservesConcurrency: reservesConcurrency(text(context, 'reservedConcurrency') ?? 'derived'),
    restoredStreamArn: tableStreamArn(text(context, 'restoredTableStream'), stage, deployedTo),
    rollsOut: rollsOut(text(context, 'rollOut') ?? 'staged'),
    webhookUrl: webhookUrl(text(context, 'webhookUrl') ?? EXAMPLE_WEBHOOK),
    alarmEmail: alarmEmail(text(context, 'alarmEmail')),
    ...readEdgeSettings((key) => text(context, key), deployedTo),
  };
}

type Context = Readonly<Record<string, unknown>>;

function text(context: Context, key: string): string | undefined {
  const value = context[key];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new Error(`The context key ${key} must be a string.`);
  return value;
}

function externalIssuer(context: Context): ExternalIssuer | undefined {
  const issuer = text(context, 'issuer');
  if (issuer === undefined) {
    const stray = OF_EXTERNAL_ISSUER.find((key) => text(context, key) !== undefined);
    if (stray !== undefined) {
      throw new Error(`The context key ${stray} belongs to an issuer: set issuer too.`);
    }
    return undefined;
  }
  const audience = text(context, 'audience');
  if (audience === undefined || audience.split(',').every((name) => name.trim() === '')) {
    throw new Error(
      'The context key audience is missing: set it to what the tokens are meant for.',
    );
  }
  return {
    issuer: secureUrl('issuer', issuer),
    audience,
    jwksUri: optionalUrl(context, 'jwksUri'),
    scopePrefix: scopePrefix(text(context, 'scopePrefix') ?? ''),
  };
}

function optionalUrl(context: Context, key: string): string | undefined {
  const value = text(context, key);
  return value === undefined ? undefined : secureUrl(key, value);
}
