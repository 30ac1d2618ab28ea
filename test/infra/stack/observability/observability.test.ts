import { Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../infra/settings/settings.ts';
import { stageNames } from '../../../../infra/settings/stages.ts';
import { RecruitmentStack } from '../../../../infra/stack/recruitment-stack.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../../../support/stack.ts';

/** The names that a stack gives by itself, which are unique in an account and region. */
function namesIn(stage: string): unknown[] {
  const app = appOf({ stage });
  const id = `RecruitmentService-${stage}`;
  const template = Template.fromStack(
    new RecruitmentStack(app, id, { settings: readSettings(app.node) }),
  );
  const named = { 'AWS::CloudWatch::Alarm': 'AlarmName', 'AWS::Logs::QueryDefinition': 'Name' };
  return [
    ...Object.entries(named).flatMap(([type, member]) =>
      propertiesOf(template, type).map((properties) => properties[member]),
    ),
    ...propertiesOf(template, 'AWS::CloudWatch::Dashboard').map((each) => each.DashboardName),
    ...propertiesOf(template, 'AWS::Logs::MetricFilter').map((each) =>
      JSON.stringify(each.MetricTransformations),
    ),
  ];
}

describe('what observes a stage', () => {
  it('has names that no other stage has', () => {
    const names = stageNames.flatMap(namesIn);
    expect(names.length).toBeGreaterThan(3 * 15);
    expect(new Set(names.map((name) => JSON.stringify(name))).size).toBe(names.length);
  });

  it('counts the requests that the throttle refused, as the access log writes them', () => {
    const template = templateOf({ stage: 'prod' });
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.status = "429" }',
      MetricTransformations: [
        { MetricName: 'throttled_requests', MetricValue: '1', DefaultValue: 0 },
      ],
    });
    const [stage = {}] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage');
    const { Format: format, DestinationArn: log } = stage.AccessLogSettings as {
      Format: string;
      DestinationArn: unknown;
    };
    // The member is a string, though it is a number: the filter compares it as such.
    expect(JSON.parse(format).status).toBe('$context.status');
    const [filter] = propertiesOf(template, 'AWS::Logs::MetricFilter');
    const { LogGroupName: group } = filter as { LogGroupName: { Ref: string } };
    expect(JSON.stringify(log)).toContain(group.Ref);
  });

  it('has no finding of the rule packs, with an address for e-mails either', () => {
    const app = appOf({ stage: 'prod', alarmEmail: 'ops@example.com' });
    Validations.of(app).addPlugins(
      new AwsSolutionsChecks(app),
      new ServerlessChecks(app),
      new NIST80053R5Checks(app),
    );
    stackOf(app);
    let report = '';
    try {
      app.synth();
    } catch (error) {
      report = String(error);
    }
    expect(report).not.toContain('/Observability/');
  });

  it('sees the functions by X-Ray', () => {
    templateOf({ stage: 'dev' }).allResourcesProperties('AWS::Lambda::Function', {
      TracingConfig: { Mode: 'Active' },
    });
  });
});
