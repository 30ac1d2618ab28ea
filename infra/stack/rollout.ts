import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { OperationFunction } from './function.ts';
import { createVersionAlarms } from './observability/alarms.ts';
import type { AlarmThresholds } from './stages/stage.ts';

interface RolloutProps {
  functions: readonly OperationFunction[];
  thresholds: AlarmThresholds;
  /** If false, CloudFormation shifts all traffic at once, as needed after somebody has moved an alias by hand. */
  usesCodeDeploy: boolean;
}

/** Its alarms notify nobody: they make CodeDeploy roll back, and the failed deployment names them. */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, props: RolloutProps) {
    super(scope, id);
    const { functions, thresholds, usesCodeDeploy } = props;
    const application = new LambdaApplication(this, 'Application');
    const role = this.createRole(application);
    for (const each of functions) {
      const { operation, live: alias } = each;
      const alarms = new Construct(this, `Alarms-${operation}`);
      const group = new LambdaDeploymentGroup(this, `Group-${operation}`, {
        application,
        role,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: createVersionAlarms(alarms, each, thresholds),
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      // A new version's alarms must exist before it gets requests.
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
      reason:
        'Only CodeDeploy can assume the role, and AWS updates the policy when CodeDeploy needs it.',
    });
    return role;
  }
}
