import {
  CfnResource,
  DefaultStackSynthesizer,
  Duration,
  Fn,
  RemovalPolicy,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { TIMEOUT_S } from '../../functions/contract/environment.ts';
import { type OperationName, operations } from '../../functions/contract/operations.ts';
import { bundleFolder } from '../bundle/bundles.ts';
import { type Permissions, permissions } from '../operations.ts';
import type { Stage } from '../settings/stages.ts';
import type { StorageProps } from './encryption.ts';
import { EncryptedLogGroup } from './log-group.ts';
import { addRequestMetrics } from './request-metrics.ts';

/**
 * The memory of a function in MB, and with it its share of a vCPU. Measured: a function holds
 * less than half of it, and a cold start takes at most 15 % longer than with a full vCPU (1769
 * MB). AWS Lambda Power Tuning (https://github.com/alexcasalboni/aws-lambda-power-tuning) measures it
 * for your own traffic.
 */
export const MEMORY_SIZE_MB = 512;

interface OperationFunctionProps extends StorageProps {
  operation: OperationName;
  environment: Record<string, string>;
}

/** The function of one operation, with a role and a log group of its own. */
export class OperationFunction extends Construct {
  readonly operation: OperationName;
  readonly permissions: Permissions;
  readonly function: LambdaFunction;
  /** What API Gateway calls: the version that has the traffic, or two during a rollout. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    this.operation = props.operation;
    this.permissions = permissions[props.operation];
    this.function = this.createFunction(props);
    const { provisionedConcurrency: provisionedConcurrentExecutions } = props.stage;
    this.live = this.function.addAlias('live', {
      ...(provisionedConcurrentExecutions !== undefined && { provisionedConcurrentExecutions }),
    });
    this.acknowledge(props.stage);
  }

  private createFunction(props: OperationFunctionProps): LambdaFunction {
    const { operation, environment } = props;
    const { method, path } = operations[operation];
    const { reservedConcurrency: reservedConcurrentExecutions } = props.stage;
    const logGroup = new EncryptedLogGroup(this, 'Logs', props);
    if (props.stage.alarms !== undefined) addRequestMetrics(logGroup);
    // Of its own: the managed policy for logs would allow every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    const created = new LambdaFunction(this, 'Function', {
      description: `Recruitment service: ${method} ${path}`,
      // Without source maps: Node.js would read them at each start (docs/local.md).
      code: Code.fromAsset(bundleFolder(operation), { exclude: ['*.map'] }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_SIZE_MB,
      timeout: Duration.seconds(TIMEOUT_S),
      ...(reservedConcurrentExecutions !== undefined && { reservedConcurrentExecutions }),
      // Going back needs the old versions. A new one that is rolled back must go, because Lambda does not
      // publish the same code and configuration twice in a row.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      environment,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    regionAsToken(created);
    return created;
  }

  private acknowledge({ reservedConcurrency }: Stage): void {
    const synchronous =
      'API Gateway invokes the function synchronously: a request that fails gets a response.';
    Validations.of(this).acknowledge(
      {
        id: 'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
        reason: 'The policy belongs to this role alone; a managed one could be attached to others.',
      },
      {
        id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaInsideVPC',
        reason:
          'The function calls only DynamoDB and the token issuer, both over TLS; a VPC would protect ' +
          'nothing else, and would need a way out to the issuer.',
      },
      { id: 'Serverless::Serverless-LambdaDLQ', reason: synchronous },
      { id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaDLQ', reason: synchronous },
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'The function writes no subsegments, so a trace would cost more than it shows: the log line ' +
          'has the duration of each request.',
      },
    );
    if (reservedConcurrency !== undefined) return;
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency',
      reason: 'A new account has too little concurrency to reserve any (docs/production.md).',
    });
  }
}

/**
 * Names the bucket of the code with the region as a token, even if a deployment pins the region. What is
 * written of a function decides the logical id of its version: with the region as text, pinning it would
 * rename a version whose code and configuration stay the same, and Lambda publishes no such version twice.
 */
function regionAsToken(created: LambdaFunction): void {
  const { DEFAULT_FILE_ASSETS_BUCKET_NAME: name, DEFAULT_QUALIFIER } = DefaultStackSynthesizer;
  const qualifier = Stack.of(created).synthesizer.bootstrapQualifier ?? DEFAULT_QUALIFIER;
  const bucket = Fn.sub(name.replace(/\$\{Qualifier\}/, qualifier));
  const resource = created.node.defaultChild;
  if (CfnResource.isCfnResource(resource)) resource.addPropertyOverride('Code.S3Bucket', bucket);
}
