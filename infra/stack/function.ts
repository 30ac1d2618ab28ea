import {
  CfnResource,
  DefaultStackSynthesizer,
  Duration,
  Fn,
  RemovalPolicy,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { Operation as TableAction } from 'aws-cdk-lib/aws-dynamodb';
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
import { type OperationName, operations } from '../../functions/operations/operations.ts';
import { TIMEOUT_S } from '../../functions/platform/environment.ts';
import { bundleFolder } from './bundle/bundles.ts';
import type { StorageProps } from './encryption.ts';
import { EncryptedLogGroup } from './log-group.ts';
import { addRequestMetrics } from './observability/request-metrics.ts';
import type { Throttle } from './stages/stage.ts';

/**
 * Functions use less than half of this memory, but it also decides their share of a vCPU: compared with a whole vCPU
 * (1769 MB), a cold start takes at most 15 % longer. For your own traffic, see
 * https://github.com/alexcasalboni/aws-lambda-power-tuning.
 */
export const MEMORY_SIZE_MB = 512;

/** Upper bound for a cold start. */
const START_S = 2;

/** Worst case: a burst, then requests at the full rate, each taking a cold start and the whole timeout. */
const concurrencyFor = ({ requestsPerSecond, burst }: Throttle): number =>
  burst + requestsPerSecond * (START_S + TIMEOUT_S);

interface Permissions {
  readonly tableAction: TableAction;
  readonly readsFiles: boolean;
}

const permissions = {
  'get-application': { tableAction: TableAction.GET_ITEM, readsFiles: true },
  'update-job-status': { tableAction: TableAction.UPDATE_ITEM, readsFiles: false },
} as const satisfies Record<OperationName, Permissions>;

interface OperationFunctionProps extends StorageProps {
  operation: OperationName;
  environment: Record<string, string>;
}

export class OperationFunction extends Construct {
  readonly operation: OperationName;
  readonly permissions: Permissions;
  readonly function: LambdaFunction;
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
    this.acknowledge();
  }

  private createFunction(props: OperationFunctionProps): LambdaFunction {
    const { operation, environment } = props;
    const { method, path } = operations[operation];
    const { alarms, reservesConcurrency, throttle } = props.stage;
    const logGroup = new EncryptedLogGroup(this, 'Logs', props);
    if (alarms !== undefined) addRequestMetrics(logGroup, alarms);
    // The CDK's default role may write to every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    const created = new LambdaFunction(this, 'Function', {
      description: `Recruitment service: ${method} ${path}`,
      // `npm run read-logs` has the source maps; deployed ones would only enlarge the code.
      code: Code.fromAsset(bundleFolder(operation), { exclude: ['*.map'] }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_SIZE_MB,
      timeout: Duration.seconds(TIMEOUT_S),
      ...(reservesConcurrency && { reservedConcurrentExecutions: concurrencyFor(throttle) }),
      // Rollbacks need old versions. But a version whose creation is rolled back must go: while it exists, Lambda
      // refuses to publish the same code and configuration again.
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

  private acknowledge(): void {
    Validations.of(this).acknowledge(
      {
        id: 'Serverless::Serverless-LambdaDLQ',
        reason:
          'API Gateway invokes the function synchronously, so the client gets a response if a request fails.',
      },
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'The function writes no subsegments, so a trace would show no more than the log line, which ' +
          'has the duration of each request.',
      },
    );
  }
}

/**
 * Names the code's bucket with a CDK token for the region, even if the setting `region` is set. The literal region
 * would change the function's properties, and so the logical id of its version: a deployment would publish unchanged
 * code and configuration, which Lambda refuses.
 */
function regionAsToken(created: LambdaFunction): void {
  const { DEFAULT_FILE_ASSETS_BUCKET_NAME: name, DEFAULT_QUALIFIER } = DefaultStackSynthesizer;
  const qualifier = Stack.of(created).synthesizer.bootstrapQualifier ?? DEFAULT_QUALIFIER;
  const bucket = Fn.sub(name.replace(/\$\{Qualifier\}/, qualifier));
  const resource = created.node.defaultChild;
  if (CfnResource.isCfnResource(resource)) resource.addPropertyOverride('Code.S3Bucket', bucket);
}
