import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Node } from 'constructs';
import { namesIn } from '../../functions/contract/environment.ts';
import { root } from '../project.ts';
import { contextKeys, isStageFile, isWritten, type Settings } from './context-keys.ts';
import { stageNames } from './stages.ts';

/** Context keys of the CDK's own, such as `aws:cdk:…`, `@aws-cdk/…` and cached look-ups. */
const CDK_CONTEXT_KEY = /[@:/]|^(tree|availability-zones)$/;

/**
 * Reads and checks the settings of a deployment; the only place that does. Keys of the CDK context
 * (`cdk deploy -c key=value`) override those of the stage's file.
 * @param path the file to read instead, from the project's folder
 * @throws Error that names the file and the key which is unknown, missing or invalid, and what to write.
 */
export function readSettings(node: Node, path?: string): Settings {
  const all: Record<string, unknown> = node.getAllContext();
  const context = Object.fromEntries(
    Object.entries(all).filter(([key]) => !CDK_CONTEXT_KEY.test(key)),
  );
  const { stage = 'dev' } = context;
  if (!stageNames.some((name) => name === stage)) {
    throw new Error(`The context key stage must be ${expectedValue('stage')}.`);
  }
  const file = path ?? `infra/settings/${stage}.json`;
  const content = checked(readJson(file), isStageFile, file);
  const written = checked({ ...content, ...context, stage }, isWritten, `${file} with flags (-c)`);
  const { $schema, issuer, tenantClaim, alarmEmail, region, ...others } = written;
  const settings: Settings = {
    ...others,
    ...(issuer !== 'cognito' && { issuer }),
    ...(tenantClaim !== 'none' && { tenantClaim }),
    ...(alarmEmail !== 'none' && { alarmEmail }),
    ...(region !== 'any' && { region }),
  };
  checkRegion(settings);
  checkStage(settings);
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
  throw new Error(`${source}: ${messageOf(isValid.errors?.[0])}`);
}

function messageOf({ keyword, instancePath, params }: Partial<ErrorObject> = {}): string {
  const key = instancePath?.slice(1) || 'the file';
  const { property, missingProperty: missing, additionalProperty: unknown } = params ?? {};
  switch (keyword) {
    case 'additionalProperties':
      return Object.hasOwn(contextKeys, unknown)
        ? `${unknown} cannot be set in a file. Use a flag, -c ${unknown}=….`
        : `unknown key ${unknown}. The keys are ${Object.keys(contextKeys).join(', ')}.`;
    case 'required':
      return `the key ${missing} is missing. Set it to ${expectedValue(missing)}.`;
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

/** What the value of a key must be, in words, with an example. */
function expectedValue(key: string): string | undefined {
  const { title, examples } = contextKeys[key] ?? {};
  return examples ? `${title}, such as ${examples.at(-1)}` : title;
}

/** API Gateway, pipes and buckets take certificates, streams and keys of their own region alone. */
function checkRegion({ region, certificateArn, restoredTableStream, filesKey }: Settings): void {
  for (const [key, arns] of Object.entries({ certificateArn, restoredTableStream, filesKey })) {
    const other = namesIn(arns).find((arn) => arn.split(':')[3] !== region);
    if (other === undefined) continue;
    const its = other.split(':')[3];
    throw new Error(
      `The key ${key} names a resource in ${its}, but the key region is ${region ?? 'any'}. Set region ` +
        `to ${its}${region === undefined ? '' : `, or use a resource in ${region}`}.`,
    );
  }
}

/** A table that was restored for one stage is not used in another: both may hold candidates' data. */
function checkStage({ restoredTableStream, stage }: Settings): void {
  const table = /:table\/([^/]+)/.exec(restoredTableStream ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new Error(
    `The key restoredTableStream names the table ${table}, which is not of the stage ${stage}. ` +
      'The name of a restored table must contain that of its stage, between hyphens.',
  );
}
