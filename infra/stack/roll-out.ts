import { CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { OperationFunction } from './function.ts';

interface RollOutProps {
  functions: readonly OperationFunction[];
  /**
   * Alarms that roll a deployment back, beside those on the new versions' errors: nine at most, as
   * CodeDeploy takes ten. A deployment does not start while one of them is on.
   */
  alarms: readonly IAlarm[];
  /** Where the alarms on the new versions' errors go. */
  alarmTopic: ITopic;
  /**
   * Whether CodeDeploy shifts the traffic. If not, CloudFormation does, at once: CodeDeploy refuses an
   * alias that was changed by hand, and a deployment while an alarm is on.
   */
  usesCodeDeploy: boolean;
}

/** Gives new versions a tenth of the traffic for ten minutes and then all, and takes it back on an alarm. */
export class RollOut extends Construct {
  constructor(scope: Construct, id: string, props: RollOutProps) {
    super(scope, id);
    const { functions, alarms, alarmTopic, usesCodeDeploy } = props;
    const application = new LambdaApplication(this, 'Application');
    const role = this.createRole(application);
    for (const { operation, live: alias } of functions) {
      const errors = this.createErrorAlarm(operation, alias);
      errors.addAlarmAction(new SnsAction(alarmTopic));
      errors.addOkAction(new SnsAction(alarmTopic));
      const group = new LambdaDeploymentGroup(this, `Group-${operation}`, {
        application,
        role,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [errors, ...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      // The alarm on a version exists before the version gets requests.
      alias.node.addDependency(group);
      const resource = alias.node.defaultChild;
      if (!usesCodeDeploy && CfnResource.isCfnResource(resource))
        delete resource.cfnOptions.updatePolicy;
    }
  }

  private createRole({ applicationName }: LambdaApplication): Role {
    const { account, partition, region } = Stack.of(this);
    const groups = `arn:${partition}:codedeploy:${region}:${account}:deploymentgroup:${applicationName}/*`;
    const role = new Role(this, 'Role', {
      // https://docs.aws.amazon.com/codedeploy/latest/userguide/security_confused_deputy.html
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: { 'aws:SourceArn': groups },
        },
      }),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'Only CodeDeploy has the role, and AWS keeps the policy in step with what it calls.',
    });
    return role;
  }

  /**
   * An alarm on the first invocation of the new version that crashes or times out. It counts the new
   * version alone: errors of the old one must not stop the deployment that fixes them.
   */
  private createErrorAlarm(name: string, alias: Alias): Alarm {
    return new Alarm(this, `Errors-${name}`, {
      // A new alarm for each version: one that is changed keeps its state.
      alarmName: `${Stack.of(this).stackName}-${name}-errors-of-version-${alias.version.version}`,
      alarmDescription:
        'The new version crashes or times out, and a deployment in progress is rolled back. Look ' +
        `first at the log of ${name}. Runbook: docs/runbooks/rollback.md`,
      metric: alias.lambda.metricErrors({
        dimensionsMap: {
          FunctionName: alias.lambda.functionName,
          Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
          ExecutedVersion: alias.version.version,
        },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
