import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Node } from 'constructs';
import { namesIn } from '../../functions/contract/environment.ts';
import { isRecord } from '../../functions/domain/record.ts';
import { root } from '../project.ts';
import {
  contextKeys,
  isStageFile,
  isWritten,
  type Settings,
  type WrittenSettings,
} from './context-keys.ts';
import { checkServices } from './regions.ts';
import schema from './stage.schema.json' with { type: 'json' };
import { type Stage, stageNames, stages } from './stages.ts';

/** Whether a context key is the CDK's own, such as `aws:cdk:…`, `@aws-cdk/…:…` and cached look-ups. */
const isOfCdk = (key: string) => key.includes(':');

/** The endpoint of DynamoDB that the stack uses unless a deployment names another, with its region. */
const DEFAULT_ENDPOINT = /^https:\/\/dynamodb\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/?$/;

/**
 * Reads and checks the settings of a deployment; the only place that does. Keys of the CDK context
 * (`cdk deploy -c key=value`) override those of the stage's file. A key that is set to its default is left out, because
 * Lambda publishes no new version of a function for it.
 * @param path the file to read instead, from the project's folder
 * @param variables hold the region of the credentials, which the CDK's command line sets
 * @throws Error that names the file and the key which is unknown, missing or invalid, and what to write.
 */
export function readSettings(
  node: Node,
  path?: string,
  variables: { CDK_DEFAULT_REGION?: string } = process.env,
): Settings {
  const all: Record<string, unknown> = node.getAllContext();
  const context = Object.fromEntries(Object.entries(all).filter(([key]) => !isOfCdk(key)));
  const { stage = 'dev' } = context;
  if (!stageNames.some((name) => name === stage)) {
    throw new Error(`The context key stage must be ${expectedValue('stage')}.`);
  }
  const file = path ?? `infra/settings/${stage}.json`;
  const content = checked(readJson(file), isStageFile, file);
  const written = checked({ ...content, ...context, stage }, isWritten, `${file} with flags (-c)`);
  const { $schema, issuer, tenantClaim, alarmEmail, region, databaseEndpoint, ...others } = written;
  checkRegion(written);
  const isDefault = DEFAULT_ENDPOINT.test(databaseEndpoint ?? '');
  const settings: Settings = {
    ...others,
    ...(issuer !== 'cognito' && { issuer }),
    ...(tenantClaim !== 'none' && { tenantClaim }),
    ...(alarmEmail !== 'none' && { alarmEmail }),
    ...(region !== 'any' && { region }),
    ...(databaseEndpoint !== undefined && !isDefault && { databaseEndpoint }),
  };
  checkStage(settings);
  const deployedTo = settings.region ?? variables.CDK_DEFAULT_REGION;
  if (deployedTo !== undefined) checkServices(deployedTo, settings);
  return settings;
}

function readJson(file: string): unknown {
  const text = readFileSync(fileURLToPath(new URL(file, root)), 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON.`, { cause: error });
  }
}

function checked<T>(value: unknown, isValid: ValidateFunction<T>, source: string): T {
  if (isValid(value)) return value;
  throw new Error(`${source}: ${messageOf(value, isValid.errors?.[0])}`);
}

function messageOf(
  value: unknown,
  { keyword, instancePath, params }: Partial<ErrorObject> = {},
): string {
  const key = instancePath?.slice(1) || 'the file';
  const { property, missingProperty: missing, additionalProperty: unknown } = params ?? {};
  switch (keyword) {
    case 'additionalProperties':
      return Object.hasOwn(contextKeys, unknown)
        ? `${unknown} cannot be set in a file. Use a flag, -c ${unknown}=….`
        : `unknown key ${unknown}. The keys are ${Object.keys(contextKeys).join(', ')}.`;
    case 'required':
      return missingKeys(value, missing);
    case 'dependentRequired':
      return `${property} needs ${missing}. Set ${missing} to ${expectedValue(missing)}.`;
    // What the schema says of the issuer `cognito`.
    case 'false schema':
    case 'const':
      return `${key} belongs to an issuer of your own, but the issuer is cognito.`;
    default:
      return `${key} must be ${expectedValue(key) ?? 'a JSON object'}.`;
  }
}

/** Names all the keys that must be stated and are missing, so that they can be decided together. */
function missingKeys(value: unknown, missing: string): string {
  const stated = isRecord(value) ? Object.keys(value) : [];
  const others = schema.required.filter((key) => key !== missing && !stated.includes(key));
  if (others.length === 0) {
    return `the key ${missing} is missing. Set it to ${expectedValue(missing)}.`;
  }
  const lines = [missing, ...others].map((key) => `\n  ${key}: ${expectedValue(key)}`);
  return `these keys are missing, and have no default. Decide what they are:${lines.join('')}`;
}

/** What the value of a key must be, in words, with an example. */
function expectedValue(key: string): string | undefined {
  const { title, examples } = contextKeys[key] ?? {};
  return examples ? `${title}, such as ${examples.at(-1)}` : title;
}

/**
 * API Gateway, pipes and buckets take certificates, streams and keys of their own region alone, and the table is in that
 * region too.
 */
function checkRegion(written: WrittenSettings): void {
  const { region, certificateArn, restoredTableStream, filesKey, databaseEndpoint } = written;
  const [, ofEndpoint] = DEFAULT_ENDPOINT.exec(databaseEndpoint ?? '') ?? [];
  const ofArns = (arns: string | undefined) => namesIn(arns).map((arn) => arn.split(':')[3]);
  const named = {
    certificateArn: ofArns(certificateArn),
    restoredTableStream: ofArns(restoredTableStream),
    filesKey: ofArns(filesKey),
    databaseEndpoint: ofEndpoint === undefined ? [] : [ofEndpoint],
  };
  for (const [key, regions] of Object.entries(named)) {
    const other = regions.find((it) => it !== region);
    if (other === undefined) continue;
    throw new Error(
      `The key ${key} names a resource in ${other}, but the key region is ${region}. Set region ` +
        `to ${other}${region === 'any' ? '' : `, or use a resource in ${region}`}.`,
    );
  }
}

/**
 * A table that was restored for one stage is not used in another: both may hold candidates' data. Nobody is told of an
 * alarm in a stage without alarms.
 */
function checkStage({ restoredTableStream, alarmEmail, stage }: Settings): void {
  const { alarms }: Stage = stages[stage];
  if (alarmEmail !== undefined && alarms === undefined) {
    throw new Error(`The stage ${stage} has no alarms. Set alarmEmail to none.`);
  }
  const table = /:table\/([^/]+)/.exec(restoredTableStream ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new Error(
    `The key restoredTableStream names the table ${table}, which is not of the stage ${stage}. ` +
      'The name of a restored table must contain that of its stage, between hyphens.',
  );
}
