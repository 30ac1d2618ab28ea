import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AttributeDefinition,
  BillingMode,
  GlobalSecondaryIndex,
  KeySchemaElement,
  StreamViewType,
  TimeToLiveSpecification,
} from '@aws-sdk/client-dynamodb';
import { App } from 'aws-cdk-lib';
import { RecruitmentStack } from '../recruitment-stack.ts';
import { readSettings } from '../settings.ts';

const STACK = 'RecruitmentService';

/** A value of a template: itself, or the logical id of the resource that it names. */
export type Value = string | { Ref: string };

/** Of the types of resources that run locally, the properties that matter there. */
interface ResourceTypes {
  'AWS::DynamoDB::Table': {
    KeySchema: KeySchemaElement[];
    AttributeDefinitions: AttributeDefinition[];
    BillingMode: BillingMode;
    GlobalSecondaryIndexes?: GlobalSecondaryIndex[];
    StreamSpecification: { StreamViewType: StreamViewType };
    TimeToLiveSpecification: TimeToLiveSpecification;
  };
  'AWS::Lambda::Function': {
    Code: { S3Key: string };
    Environment: { Variables: Record<string, Value> };
    Handler: string;
    MemorySize: number;
    Timeout: number;
  };
  'AWS::ApiGatewayV2::Route': {
    RouteKey: string;
    Target: { 'Fn::Join': [string, ['integrations/', { Ref: string }]] };
  };
  'AWS::ApiGatewayV2::Integration': {
    IntegrationUri: { 'Fn::GetAtt': [string, 'Arn'] };
    PayloadFormatVersion: string;
  };
}

/** The synthesized stack: what `cdk deploy` would ship. */
export interface Template {
  /** The properties of all resources of a type, by their logical ids. */
  resources<T extends keyof ResourceTypes>(type: T): Map<string, ResourceTypes[T]>;
  /** The folder of the built code that a function's `Code.S3Key` names. */
  assetFolder(key: string): string;
}

/**
 * Synthesizes the stack into `outdir`, as `cdk synth -c key=value …` does; the validation of the
 * template, which takes seconds, is left to the checks.
 */
export function synthesize(context: Readonly<Record<string, string>>, outdir: string): Template {
  const app = new App({
    outdir,
    context: { ...context },
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  new RecruitmentStack(app, STACK, { settings: readSettings(app.node) });
  const { template } = app.synth().getStackByName(STACK);
  const assets = JSON.parse(readFileSync(join(outdir, `${STACK}.assets.json`), 'utf8'));
  return {
    resources(type) {
      const found = new Map();
      for (const [id, resource] of Object.entries<{ Type: string; Properties: unknown }>(
        template.Resources,
      )) {
        if (resource.Type === type) found.set(id, resource.Properties);
      }
      return found;
    },
    assetFolder: (key) => join(outdir, assets.files[key.replace(/\.zip$/, '')].source.path),
  };
}
