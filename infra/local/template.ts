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

/** The settings over which the context goes: the files of the stages are for deployments. */
const SETTINGS = 'infra/local/settings.json';

/** The types of resources that run locally, with the properties that are used there. */
interface ResourceTypes {
  'AWS::DynamoDB::Table': {
    KeySchema: KeySchemaElement[];
    AttributeDefinitions: AttributeDefinition[];
    BillingMode: BillingMode;
    GlobalSecondaryIndexes: GlobalSecondaryIndex[];
    TimeToLiveSpecification: TimeToLiveSpecification;
  };
  'AWS::Lambda::Function': {
    /** Text, or a function of CloudFormation, such as a reference to a resource. */
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
  /** Its address is an alias. */
  'AWS::ApiGatewayV2::Integration': { IntegrationUri: { Ref: string } };
  'AWS::Lambda::Alias': { FunctionName: { Ref: string } };
}

/** The synthesized stack: what `cdk deploy` would ship. */
export interface Template {
  /** The properties of all resources of a type, by their logical ids. */
  resources<T extends keyof ResourceTypes>(type: T): Map<string, ResourceTypes[T]>;
  /** The folder of a function's built code, by the rule of the SAM CLI. */
  codeFolder(functionId: string): string;
}

/** What the programs of the project that build it read of their environment. */
export interface BuildVariables {
  /** Whether the bundles are minified; by default they are. */
  BUNDLE_MINIFY?: 'true' | 'false';
}

/** Builds the functions. */
export const buildFunctions = (variables: BuildVariables) =>
  runProgram(['infra/bundle/build.ts'], { ...variables });

/**
 * Builds the functions and synthesizes the stack into `outdir`, with the same command that the CDK runs
 * for `cdk deploy -c key=value …`, but without the validation of the template, which takes seconds.
 * @throws Error with what the command printed, if it fails.
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
    // The functions run from dist/, where their source maps are, not from a copy without them.
    'aws:cdk:disable-asset-staging': true,
    // Names that folder in the template, where the SAM CLI looks for it.
    'aws:cdk:enable-asset-metadata': true,
  });
  const variables = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' };
  await runProgram(['infra/app.ts', SETTINGS], { ...variables, ...build });
  return readTemplate(outdir);
}

/** Runs a program of the project, with its arguments, in a process of its own, which loads the code as it is now. */
async function runProgram(args: string[], variables: NodeJS.ProcessEnv): Promise<void> {
  const options = { cwd: fileURLToPath(root), env: { ...process.env, ...variables } };
  await promisify(execFile)(process.execPath, args, options).catch(({ stderr, message }) => {
    // Without the stack, unless it is a syntax error, which has its place before the message.
    const [, thrown] = /^Error: (.*?)\n {4}at /ms.exec(stderr) ?? [];
    throw new Error(thrown ?? (stderr || message));
  });
}

interface Resource {
  Type: string;
  Properties: unknown;
  Metadata?: { 'aws:asset:path'?: string };
}

/** Reads a synthesized stack. */
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
