import { describe, expect, it } from 'vitest';
import { stageNames } from '../../../infra/stack/settings/settings.ts';
import { ownDomain } from '../../support/deployments.ts';
import { templateOf, textOf } from '../../support/stack.ts';

/** Names that must be unique only within another resource of the stack, or that AWS has chosen. */
const WITHIN: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Stage StageName': 'of an API',
  'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName': "CodeDeploy's own",
  'AWS::Cognito::UserPoolResourceServer Identifier': 'of a user pool',
  'AWS::Cognito::UserPoolResourceServer Name': 'of a user pool',
  'AWS::CloudWatch::Alarm MetricName': "Lambda's own",
  'AWS::IAM::Policy PolicyName': 'of a role',
  'AWS::Lambda::Alias Name': 'of a function',
  'AWS::SNS::Topic DisplayName': 'of a topic',
};

/** Types whose logical ids may change: AWS names these resources, and they do not hold data. */
const MAY_MOVE =
  /^(CodeDeploy|IAM|Lambda::(Function|Permission|Version)|Logs::(Metric|Query)|SNS::(Sub|TopicP)|SQS::QueueP|\w+::Integration)/;

/**
 * All other resources, with the names that we give them. If one gets another logical id or type, the deployment fails
 * because its name is taken (CloudFormation creates before it deletes), or what it holds is left behind. Keep the id
 * when you rename one, and add a line for a new one: no command writes this list.
 */
const STAYING = `
EncryptionKey3A692D6E KMS::Key
StorageTableB43FDCE7 DynamoDB::Table
EventsDeadLetters8A90034E SQS::Queue
EventsBus45DE4339 Events::EventBus RecruitmentService-prod
EventsArchive5A2DBDD8 Events::Archive RecruitmentService-prod
EventsPipeLogs7196FC1A Logs::LogGroup
EventsPipe7FACDBF6 Pipes::Pipe
TokenIssuerUserPoolCA094C6A Cognito::UserPool
TokenIssuerUserPoolDomainD2DC3994 Cognito::UserPoolDomain recruitment-540312f0-AWS::AccountId
TokenIssuerUserPoolResourceServerA849F68B Cognito::UserPoolResourceServer
TokenIssuerUserPoolMachineClientBCF0AD26 Cognito::UserPoolClient
TokenIssuerUserPoolProbeClientB9A58E38 Cognito::UserPoolClient
GetApplicationLogs2D54E763 Logs::LogGroup
GetApplicationFunctionAliasliveB7D2D1EF Lambda::Alias
UpdateJobStatusLogsB363BD2F Logs::LogGroup
UpdateJobStatusFunctionAliaslive4A4800EB Lambda::Alias
DomainDomainName988E44EF ApiGatewayV2::DomainName api.example.com
DomainRecord61445E00 Route53::RecordSet api.example.com.
HttpApi4E1D4184 ApiGatewayV2::Api RecruitmentService-prod
HttpApiGETv1jobsidapplicationscandidateid09C10C0A ApiGatewayV2::Route
HttpApiPATCHv1jobsidstatusC11FAC5E ApiGatewayV2::Route
HttpAccessLogC8763DB1 Logs::LogGroup
HttpStageD1D6DBD6 ApiGatewayV2::Stage
HttpMapping45C3F56C ApiGatewayV2::ApiMapping
ObservabilityPublishedEventsCFE19282 SQS::Queue
ObservabilityPublished2ADA0C64 Events::Rule
ObservabilityAlarmTopic2EF75556 SNS::Topic
ObservabilityAlarmsoutage30CAC37E CloudWatch::Alarm RecruitmentService-prod-outage
ObservabilityAlarmserrorbudget7224D4B3 CloudWatch::Alarm RecruitmentService-prod-error-budget
ObservabilityAlarmsslow81E567F5 CloudWatch::Alarm RecruitmentService-prod-slow
ObservabilityAlarmsbugsD1437596 CloudWatch::Alarm RecruitmentService-prod-bugs
ObservabilityAlarmstokensrejected69A3D07A CloudWatch::Alarm RecruitmentService-prod-tokens-rejected
ObservabilityAlarmsthrottledrequests613346A3 CloudWatch::Alarm RecruitmentService-prod-throttled-requests
ObservabilityAlarmseventslate4785F3FE CloudWatch::Alarm RecruitmentService-prod-events-late
ObservabilityAlarmsdeadletters65F09BC1 CloudWatch::Alarm RecruitmentService-prod-dead-letters
ObservabilityAlarmscertificateends25FEBD06 CloudWatch::Alarm RecruitmentService-prod-certificate-ends
ObservabilityDashboard6CBB76E2 CloudWatch::Dashboard RecruitmentService-prod-AWS::Region
RollOutAlarmsgetapplicationgetapplicationerrorsBE7A5B60 CloudWatch::Alarm RecruitmentService-prod-get-application-errors-of-version-N
RollOutAlarmsgetapplicationgetapplicationinternalA20B21E9 CloudWatch::Alarm RecruitmentService-prod-get-application-internal-of-version-N
RollOutAlarmsgetapplicationgetapplicationunavailableD432BFEF CloudWatch::Alarm RecruitmentService-prod-get-application-unavailable-of-version-N
RollOutAlarmsgetapplicationgetapplicationduration755E6074 CloudWatch::Alarm RecruitmentService-prod-get-application-duration-of-version-N
RollOutAlarmsupdatejobstatusupdatejobstatuserrors9E1492EC CloudWatch::Alarm RecruitmentService-prod-update-job-status-errors-of-version-N
RollOutAlarmsupdatejobstatusupdatejobstatusinternalAFB40622 CloudWatch::Alarm RecruitmentService-prod-update-job-status-internal-of-version-N
RollOutAlarmsupdatejobstatusupdatejobstatusunavailable448F9B4C CloudWatch::Alarm RecruitmentService-prod-update-job-status-unavailable-of-version-N
RollOutAlarmsupdatejobstatusupdatejobstatusdurationB85B15D8 CloudWatch::Alarm RecruitmentService-prod-update-job-status-duration-of-version-N
`;

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

const resourcesOf = (context: Record<string, string>) =>
  Object.entries<Resource>(templateOf(context).toJSON().Resources);

const namesIn = ({ Type, Properties = {} }: Resource): string[] =>
  Object.entries(Properties)
    .filter(([property]) => /(Name|^Domain|^Identifier|Alias)$/.test(property))
    .filter(([, value]) => typeof value === 'string' || 'Fn::Join' in Object(value))
    .flatMap(([property, value]) => (`${Type} ${property}` in WITHIN ? [] : textOf(value)));

describe('the names of resources', () => {
  it.each(
    stageNames.flatMap((one, index) => stageNames.slice(index + 1).map((other) => [one, other])),
  )('never collide between %s and %s', (one = '', other = '') => {
    const namesOf = (stage: string) =>
      resourcesOf({ stage }).flatMap(([, it]) => namesIn(it).map((name) => `${it.Type} ${name}`));
    const names = namesOf(one);
    expect(names).toContain(`AWS::ApiGatewayV2::Api RecruitmentService-${one}`);
    expect(names.some((name) => name.startsWith('AWS::Cognito::UserPoolDomain '))).toBe(true);
    const others = new Set(namesOf(other));
    expect(names.filter((name) => others.has(name))).toEqual([]);
  });

  it('stay with their resources, as all that holds something does', () => {
    const context = { stage: 'prod', ...ownDomain, hostedZoneId: 'Z0123456789ABCDEFGHIJ' };
    const found = resourcesOf(context).flatMap(([id, it]) => {
      const type = it.Type.replace('AWS::', '');
      const names = namesIn(it).map((name) => name.replace(/-of-version-.*/, '-of-version-N'));
      return MAY_MOVE.test(type) ? [] : [id, type, ...names].join(' ');
    });
    expect(found.toSorted()).toEqual(STAYING.trim().split('\n').toSorted());
  });
});
