import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { versionAlarmTable } from './observability/alarm-table.ts';
import { Alarms } from './observability/alarms.ts';
import type { MonitoredResources } from './observability/metrics.ts';
import type { AlarmThresholds } from './stages/stage.ts';

interface RolloutProps {
  resources: MonitoredResources;
  thresholds: AlarmThresholds;
  /**
   * Whether CodeDeploy shifts the traffic. If not, CloudFormation shifts all traffic at once. After an operator has
   * changed an alias by hand, CodeDeploy rejects the alias, so CloudFormation must shift the traffic once.
   */
  usesCodeDeploy: boolean;
}

/**
 * The canary deployment of new function versions. A new function version gets a tenth of the traffic for ten minutes,
 * and then all traffic. If an alarm on the new function version goes to ALARM, CodeDeploy rolls back. These alarms
 * notify nobody, because the failed deployment already names the alarm.
 */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, props: RolloutProps) {
    super(scope, id);
    const { resources, thresholds, usesCodeDeploy } = props;
    const application = new LambdaApplication(this, 'Application');
    const role = this.createRole(application);
    for (const each of resources.functions) {
      const { operation, live: alias } = each;
      const specs = versionAlarmTable(resources, each, thresholds);
      const group = new LambdaDeploymentGroup(this, `Group-${operation}`, {
        application,
        role,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [...new Alarms(this, `Alarms-${operation}`, { specs }).alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      // With this dependency, CloudFormation creates the alarms on a new function version before it gets requests.
      alias.node.addDependency(group);
      const resource = alias.node.defaultChild;
      if (!usesCodeDeploy && CfnResource.isCfnResource(resource))
        delete resource.cfnOptions.updatePolicy;
    }
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction',
      reason:
        'These alarms roll back a deployment. The alarms on all function versions send notifications.',
    });
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
