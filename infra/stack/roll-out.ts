import { CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarm,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Stage } from '../settings/stages.ts';

interface RollOutProps {
  stage: Stage;
  /** The alias of each function, by the name of its deployment group. */
  aliases: Readonly<Record<string, Alias>>;
  /**
   * Alarms that roll a deployment back, beside those on the new versions' errors: nine at most, as
   * CodeDeploy takes ten. One that is on already stops a deployment before it begins.
   */
  alarms: readonly IAlarm[];
  /** Who is told of a new version that fails. */
  alarmTopic: ITopic;
  /**
   * Whether CodeDeploy turns the aliases. Without it, CloudFormation does, at once and wherever they
   * stand: CodeDeploy refuses an alias that was turned by hand, and whatever an alarm minds.
   */
  isStaged: boolean;
}

const CONFIGURATIONS: Readonly<Record<Stage['deployment'], ILambdaDeploymentConfig>> = {
  canary: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
  'all-at-once': LambdaDeploymentConfig.ALL_AT_ONCE,
};

/** Gives new versions of the functions the traffic of their aliases, and takes it back on an alarm. */
export class RollOut extends Construct {
  constructor(scope: Construct, id: string, props: RollOutProps) {
    super(scope, id);
    const { stage, aliases, alarms, alarmTopic, isStaged } = props;
    const application = new LambdaApplication(this, 'Application');
    const role = this.serviceRole();
    for (const [name, alias] of Object.entries(aliases)) {
      const errors = this.errorsOf(name, alias);
      errors.addAlarmAction(new SnsAction(alarmTopic));
      errors.addOkAction(new SnsAction(alarmTopic));
      const group = new LambdaDeploymentGroup(this, `Group-${name}`, {
        application,
        role,
        alias,
        deploymentConfig: CONFIGURATIONS[stage.deployment],
        alarms: [errors, ...alarms],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      // The alarm on a version is there before the version gets requests.
      alias.node.addDependency(group);
      if (!isStaged) turnAtOnce(alias);
    }
  }

  private serviceRole(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'CodeDeploy alone has the role, and AWS keeps the policy in step with what it calls.',
    });
    return role;
  }

  /**
   * An alarm on the first invocation of the new version that fails, where the function answers faults
   * itself. Of the alias it counts the new version alone: errors of the old one must not stop the
   * deployment that mends them.
   */
  private errorsOf(name: string, alias: Alias): Alarm {
    return new Alarm(this, `Errors-${name}`, {
      // A new one for each version: an alarm that is changed keeps the state that it had.
      alarmName: `${Stack.of(this).stackName}-${name}-errors-of-version-${alias.version.version}`,
      alarmDescription:
        'The new version fails, and a deployment under way is rolled back. Look first at the log of ' +
        `${name}. Runbook: docs/runbooks/rollback.md`,
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Errors',
        dimensionsMap: {
          FunctionName: alias.lambda.functionName,
          Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
          ExecutedVersion: alias.version.version,
        },
        statistic: Stats.SUM,
        period: Duration.minutes(1),
      }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

function turnAtOnce(alias: Alias): void {
  const resource = alias.node.defaultChild;
  if (CfnResource.isCfnResource(resource)) delete resource.cfnOptions.updatePolicy;
}
