import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Node } from 'constructs';
import { namesIn } from '../../functions/contract/environment.ts';
import { isObject } from '../../functions/domain/object.ts';
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

/** Returns whether a context key belongs to the CDK, such as `aws:cdk:…`, `@aws-cdk/…:…` and cached look-ups. */
const isCdkKey = (key: string) => key.includes(':');

/** A pattern for the DynamoDB endpoint that the stack uses by default. The capturing group matches the region. */
const DEFAULT_ENDPOINT = /^https:\/\/dynamodb\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/?$/;

/**
 * Reads and checks a deployment's settings. CDK context keys (`cdk deploy -c key=value`) override the keys of the
 * stage's file. The result leaves out a key that is set to its default. The template is then the same with and without
 * the key, and no function version changes its logical id.
 * @param path a file to read instead of the stage's file, relative to the project's folder.
 * @param variables the environment variables. The CDK's command line sets `CDK_DEFAULT_REGION` to the credentials'
 *   region.
 * @throws Error that names the source and the unknown, missing or invalid key, and says what to write.
 */
export function readSettings(
  node: Node,
  path?: string,
  variables: { CDK_DEFAULT_REGION?: string } = process.env,
): Settings {
  const all: Record<string, unknown> = node.getAllContext();
  const context = Object.fromEntries(Object.entries(all).filter(([key]) => !isCdkKey(key)));
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
    // The schema uses these two keywords only for keys that need another issuer than `cognito`.
    case 'false schema':
    case 'const':
      return `${key} belongs to an issuer of your own, but the issuer is cognito.`;
    default:
      return `${key} must be ${expectedValue(key) ?? 'a JSON object'}.`;
  }
}

/** Returns a message that names all missing keys, so that the reader can decide them together. */
function missingKeys(value: unknown, missing: string): string {
  const stated = isObject(value) ? Object.keys(value) : [];
  const others = schema.required.filter((key) => key !== missing && !stated.includes(key));
  if (others.length === 0) {
    return `the key ${missing} is missing. Set it to ${expectedValue(missing)}.`;
  }
  const lines = [missing, ...others].map((key) => `\n  ${key}: ${expectedValue(key)}`);
  return `these keys are missing and have no default. Decide their values:${lines.join('')}`;
}

/** Returns the rule for a key's value in words, with an example. */
function expectedValue(key: string): string | undefined {
  const { title, examples } = contextKeys[key] ?? {};
  return examples ? `${title}, such as ${examples.at(-1)}` : title;
}

/**
 * Rejects settings that name a resource in another region than the stack's. The API, the pipe and the buckets accept
 * only a certificate, a stream and KMS keys in their own region. The DynamoDB endpoint must be in the table's region.
 */
function checkRegion(written: WrittenSettings): void {
  const { region, certificateArn, restoredTableStream, filesKey, databaseEndpoint } = written;
  const [, endpointRegion] = DEFAULT_ENDPOINT.exec(databaseEndpoint ?? '') ?? [];
  const regionsOf = (arns: string | undefined) => namesIn(arns).map((arn) => arn.split(':')[3]);
  const named = {
    certificateArn: regionsOf(certificateArn),
    restoredTableStream: regionsOf(restoredTableStream),
    filesKey: regionsOf(filesKey),
    databaseEndpoint: endpointRegion === undefined ? [] : [endpointRegion],
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
 * Rejects settings that do not fit the stage. A stage may not use a table that was restored for another stage, so that
 * it cannot read or change the other stage's data. A stage without alarms cannot send alarm e-mails.
 */
function checkStage({ restoredTableStream, alarmEmail, stage }: Settings): void {
  const { alarms }: Stage = stages[stage];
  if (alarmEmail !== undefined && alarms === undefined) {
    throw new Error(`The stage ${stage} has no alarms. Set alarmEmail to none.`);
  }
  const table = /:table\/([^/]+)/.exec(restoredTableStream ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new Error(
    `The key restoredTableStream names the table ${table}, which does not belong to the stage ${stage}. ` +
      'The name of a restored table must contain the name of its stage, such as restored-prod.',
  );
}
