import { Duration, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { OperationName } from '../functions/contract/operations.ts';
import { bundleFolder } from './build/bundles.ts';
import { memorySizeMb } from './cost/memory-size.ts';
import { removalPolicyOf, type Stage } from './stages.ts';

interface OperationFunctionProps {
  stage: Stage;
  encryptionKey: IKey;
  operation: OperationName;
  environment: Record<string, string>;
}

/** The function of one operation, with a role and a log group of its own. */
export class OperationFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    const { stage, encryptionKey, operation, environment } = props;
    const logGroup = new LogGroup(this, 'Logs', {
      encryptionKey,
      retention: stage.logRetention,
      removalPolicy: removalPolicyOf(stage),
    });
    // A role of its own: the managed policy for logs would allow every log group of the account.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    this.function = new LambdaFunction(this, 'Function', {
      description: `Recruitment service: ${operation}`,
      code: Code.fromAsset(bundleFolder(operation), { exclude: ['*.map'] }),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memorySizeMb,
      timeout: Duration.seconds(6),
      environment,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
    });
    Validations.of(this).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray has no resources that a policy could name.',
      },
      {
        id: 'Serverless::Serverless-LambdaDLQ',
        reason: 'API Gateway invokes the function synchronously: a failed request has an answer.',
      },
    );
  }
}
