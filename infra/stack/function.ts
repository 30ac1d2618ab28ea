import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  type Alias,
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { OperationName } from '../../functions/contract/operations.ts';
import { bundleFolder } from '../bundle/bundles.ts';
import { concurrencyOf, TIMEOUT_S } from '../settings/concurrency.ts';
import type { Stage } from '../settings/stages.ts';
import { keptLog } from './kept-log.ts';

/**
 * The memory of a function in MB, and with it its share of a processor. Measured: a function holds
 * less than half of it, and a cold start takes at most 15 % longer than with a whole processor (1769
 * MB). AWS Lambda Power Tuning (https://github.com/alexcasalboni/aws-lambda-power-tuning) measures it
 * for your own traffic.
 */
export const MEMORY_SIZE_MB = 512;

interface OperationFunctionProps {
  stage: Stage;
  encryptionKey: IKey;
  operation: OperationName;
  environment: Record<string, string>;
  /** Whether the account's quota lets a function reserve what its throttle asks for. */
  reservesConcurrency: boolean;
}

/** The function of one operation, with a role and a log group of its own. */
export class OperationFunction extends Construct {
  readonly function: LambdaFunction;
  /** What is called: the version that has the traffic, or two while one takes over. */
  readonly live: Alias;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    this.function = this.makeFunction(props);
    const { provisionedConcurrency } = props.stage;
    this.live = this.function.addAlias('live', {
      ...(provisionedConcurrency > 0 && {
        provisionedConcurrentExecutions: provisionedConcurrency,
      }),
    });
    this.acknowledge(props);
  }

  private makeFunction(props: OperationFunctionProps): LambdaFunction {
    const { stage, operation, environment, reservesConcurrency } = props;
    const logGroup = keptLog(this, 'Logs', props);
    return new LambdaFunction(this, 'Function', {
      description: `Recruitment service: ${operation}`,
      code: Code.fromAsset(bundleFolder(operation), { exclude: ['*.map'] }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_SIZE_MB,
      timeout: Duration.seconds(TIMEOUT_S),
      ...(reservesConcurrency && { reservedConcurrentExecutions: concurrencyOf(stage.throttle) }),
      // What a roll-back goes back to.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      environment,
      role: this.role(logGroup),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
    });
  }

  /** A role of its own: the managed policy for logs would allow every log group of the account. */
  private role(logGroup: LogGroup): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    return role;
  }

  private acknowledge({ reservesConcurrency }: OperationFunctionProps): void {
    const synchronous =
      'API Gateway invokes the function synchronously: a failed request has an answer.';
    Validations.of(this).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray has no resources that a policy could name.',
      },
      {
        id: 'NIST.800.53.R5::NIST.800.53.R5-IAMNoInlinePolicy',
        reason: 'The policy is of one function alone: nobody else may attach it.',
      },
      {
        id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaInsideVPC',
        reason:
          'The function calls DynamoDB and the token issuer alone, both over TLS; a VPC would guard ' +
          'nothing else, and needs a way out to the issuer.',
      },
      { id: 'Serverless::Serverless-LambdaDLQ', reason: synchronous },
      { id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaDLQ', reason: synchronous },
    );
    if (reservesConcurrency) return;
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-LambdaConcurrency',
      reason: "The deployment says that the account's quota leaves nothing to reserve.",
    });
  }
}
