import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Node } from 'constructs';
import { contextKeys, isContext, type Settings } from './context-keys.ts';
import type { StageName } from './stages.ts';

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
  checkStage(context.restoredTableStream, context.stage);
  return context;
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

/** A table that was restored for one stage is not used in another: both may hold candidates' data. */
function checkStage(streamArn: string | undefined, stage: StageName): void {
  const table = /:table\/([^/]+)/.exec(streamArn ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new Error(
    `The context key restoredTableStream names the table ${table}, which is not of the stage ` +
      `${stage}: the name of a restored table must contain that of its stage, between hyphens.`,
  );
}
