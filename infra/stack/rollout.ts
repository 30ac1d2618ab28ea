import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { AlarmThresholds } from '../settings/stages.ts';
import { versionAlarmTable } from './observability/alarm-table.ts';
import { Alarms } from './observability/alarms.ts';
import type { MonitoredResources } from './observability/metrics.ts';

interface RolloutProps {
  resources: MonitoredResources;
  thresholds: AlarmThresholds;
  /**
   * Whether CodeDeploy shifts the traffic. If not, CloudFormation does, at once: CodeDeploy rejects an
   * alias that was changed by hand.
   */
  usesCodeDeploy: boolean;
}

/**
 * Gives new versions a tenth of the traffic for ten minutes and then all. CodeDeploy takes it back if an alarm on
 * the new version goes to ALARM. These alarms notify nobody: the deployment fails, and names the alarm.
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
      // The alarms on a version exist before the version gets requests.
      alias.node.addDependency(group);
      const resource = alias.node.defaultChild;
      if (!usesCodeDeploy && CfnResource.isCfnResource(resource))
        delete resource.cfnOptions.updatePolicy;
    }
    Validations.of(this).acknowledge({
      id: 'NIST.800.53.R5::NIST.800.53.R5-CloudWatchAlarmAction',
      reason: 'They roll back; the alarms on all versions notify, also after the rollout.',
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
      reason: 'Only CodeDeploy has the role, and AWS keeps the policy in step with what it calls.',
    });
    return role;
  }
}
