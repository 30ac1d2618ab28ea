import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {
  AttributeDefinition,
  BillingMode,
  GlobalSecondaryIndex,
  KeySchemaElement,
  TimeToLiveSpecification,
} from '@aws-sdk/client-dynamodb';
import { root } from '../project.ts';
import type { CorsConfiguration } from './cors.ts';

const STACK = 'RecruitmentService-dev';

/** The resource types that `npm start` uses, with the properties that it reads. */
interface ResourceTypes {
  'AWS::DynamoDB::Table': {
    KeySchema: KeySchemaElement[];
    AttributeDefinitions: AttributeDefinition[];
    BillingMode: BillingMode;
    GlobalSecondaryIndexes: GlobalSecondaryIndex[];
    TimeToLiveSpecification: TimeToLiveSpecification;
  };
  'AWS::Lambda::Function': {
    /** Each value is text or a CloudFormation function, such as a reference to a resource. */
    Environment: { Variables: Record<string, unknown> };
    Handler: string;
    MemorySize: number;
    Timeout: number;
  };
  'AWS::ApiGatewayV2::Api': { CorsConfiguration?: CorsConfiguration };
  'AWS::ApiGatewayV2::Route': {
    RouteKey: string;
    Target: { 'Fn::Join': [string, ['integrations/', { Ref: string }]] };
  };
  /** The integration of a route, whose URI refers to an alias. */
  'AWS::ApiGatewayV2::Integration': { IntegrationUri: { Ref: string } };
  'AWS::Lambda::Alias': { FunctionName: { Ref: string } };
}

/** The synthesized stack, as `cdk deploy` would deploy it. */
export interface Template {
  /** Returns the properties of all resources of a type, by logical id. */
  resources<T extends keyof ResourceTypes>(type: T): Map<string, ResourceTypes[T]>;
  /** Returns the folder of a function's built code. The SAM CLI finds the folder in the same way. */
  codeFolder(functionId: string): string;
}

/** Environment variables of the build. */
export interface BuildVariables {
  /** Whether to minify the bundles, by default true. */
  BUNDLE_MINIFY?: 'true' | 'false';
}

/**
 * Builds the functions and synthesizes the stack into `outdir`, as `cdk deploy -c KEY=VALUE …` does. Skips the
 * validation of the template, which takes seconds.
 * @throws Error with the printed error if the build or the synthesis fails.
 */
export async function synthesize(
  context: Readonly<Record<string, string>>,
  outdir: string,
  build: BuildVariables = {},
): Promise<Template> {
  const shared = JSON.parse(readFileSync(new URL('cdk.json', root), 'utf8')).context;
  const CDK_CONTEXT_JSON = JSON.stringify({
    ...shared,
    ...context,
    // Run the functions from dist/, because a copy would lack the source maps.
    'aws:cdk:disable-asset-staging': true,
    // Write the code's folder into the template, where the SAM CLI looks for it.
    'aws:cdk:enable-asset-metadata': true,
  });
  const variables = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false', ...build };
  const options = { cwd: fileURLToPath(root), env: { ...process.env, ...variables } };
  // Synthesize in a new process, which loads the current code.
  const run = promisify(execFile)(process.execPath, ['infra/app.ts'], options);
  await run.catch(({ stderr, message }) => {
    // Report only the message of a thrown error. For a syntax error, report the whole output, which says where the
    // error is.
    const [, thrown] = /^Error: (.*?)\n {4}at /ms.exec(stderr) ?? [];
    throw new Error(thrown ?? (stderr || message));
  });
  return readTemplate(outdir);
}

interface Resource {
  Type: string;
  Properties: unknown;
  Metadata?: { 'aws:asset:path'?: string };
}

export function readTemplate(outdir: string): Template {
  const file = join(outdir, `${STACK}.template.json`);
  const template: { Resources: Record<string, Resource> } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    resources(type) {
      const found = new Map();
      for (const [id, resource] of Object.entries(template.Resources)) {
        if (resource.Type === type) found.set(id, resource.Properties);
      }
      return found;
    },
    codeFolder(functionId) {
      const { [functionId]: resource } = template.Resources;
      const path = resource?.Metadata?.['aws:asset:path'];
      if (path === undefined) throw new Error(`The template names no code of ${functionId}.`);
      return resolve(outdir, path);
    },
  };
}
