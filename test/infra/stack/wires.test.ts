// Who calls whom in the deployed stack, with what right, and what happens when it fails. Under each sentence are the
// lines of `linesOf` that prove it; `no X` means that no line begins with X. A sentence after a condition applies only to
// deployments that meet it. Written by hand: with a generated file, somebody would accept a wrong permission unread.
import { describe, expect, it } from 'vitest';
import { splitList } from '../../../functions/domain/split-list.ts';
import { cors } from '../../../functions/operations/cors.ts';
import { changeTemplate } from '../../../infra/stack/events/transformation.ts';
import { queries } from '../../../infra/stack/observability/queries.ts';
import { requestMetrics } from '../../../infra/stack/observability/request-metrics.ts';
import { stages } from '../../../infra/stack/settings/read-settings.ts';
import { stageNames } from '../../../infra/stack/settings/settings.ts';
import type { Stage } from '../../../infra/stack/stages/stage.ts';
import { deployments } from '../../support/deployments.ts';
import { templateOf } from '../../support/stack.ts';
import { linesOf } from './lines.ts';

interface Deployment {
  stack: string;
  stage: Stage;
  settings: Readonly<Record<string, string>>;
}

const DECRYPT = 'kms:Decrypt';
const WRITE =
  'kms:Decrypt and kms:DescribeKey and kms:Encrypt and kms:GenerateDataKey and kms:GenerateDataKeyWithoutPlaintext and kms:ReEncryptFrom and kms:ReEncryptTo';

const functions = [
  {
    id: 'GetApplication',
    action: 'GetItem',
    keyActions: DECRYPT,
    path: 'GET /v1/jobs/{id}/applications/{candidate_id}',
  },
  {
    id: 'UpdateJobStatus',
    action: 'UpdateItem',
    keyActions: WRITE,
    path: 'PATCH /v1/jobs/{id}/status',
  },
];
const logGroups = ['GetApplicationLogs', 'UpdateJobStatusLogs', 'EventsPipeLogs', 'HttpAccessLog'];

const each = <T>(list: readonly T[], line: (element: T) => string) => list.map(line).join('\n  ');
const joined = (texts: readonly string[]) => texts.join(' and ');
const flat = (text: string) => text.replaceAll(/\W|_/g, '');
const mayUse = (actions: string, service: string, key = 'EncryptionKey.Arn') =>
  `may ${actions} on ${key} if kms:ViaService StringEquals ${service}.AWS::Region.amazonaws.com`;
const ifFrom = (service: string, resources: string) =>
  `if aws:SourceAccount StringEquals AWS::AccountId and aws:SourceArn ArnLike arn:aws:${service}:AWS::Region:AWS::AccountId:${resources}`;

const functionPage = (
  { id, action, keyActions, path }: (typeof functions)[number],
  { stage, settings }: Deployment,
) => {
  const slug = id.toLowerCase();
  const { table = 'StorageTable', tables = 'StorageTable.Arn' } = restoredOf(settings);
  const route = `HttpApi${flat(path)}`;
  const alarm = `RollOutAlarms${slug}${slug}`;
  return [
    `
${path} calls the alias live of ${id}, which is its current version
  ${route}.RouteKey is ${path}
  ${route}.Target is integrations/${route}Integration${slug}
  ${route}Integration${slug}.IntegrationUri is ${id}FunctionAliaslive
  ${id}FunctionAliaslive.Name is live
  ${id}FunctionAliaslive.FunctionName is ${id}Function
  ${id}FunctionAliaslive.FunctionVersion is ${id}FunctionCurrentVersion.Version
  ${id}FunctionAliaslive: apigateway.amazonaws.com may lambda:InvokeFunction from arn:aws:execute-api:AWS::Region:AWS::AccountId:HttpApi/*/*${path.replace(/.* /, '')}
${id} has the time and the memory that its code counts on
  ${id}Function.Timeout is 6
  ${id}Function.MemorySize is 512
${id} may ${action} in its table
  ${id}Function.Environment.Variables.TABLE_NAME is ${table}
  ${id}Function.Role is ${id}Role.Arn
  ${id}Role: lambda.amazonaws.com may sts:AssumeRole
  ${id}Role: may dynamodb:${action} on ${tables}
${id} logs each request to its own log group
  ${id}Function.LoggingConfig.LogGroup is ${id}Logs
  ${id}Function.LoggingConfig.LogFormat is JSON
  ${id}Function.LoggingConfig.ApplicationLogLevel is INFO
  ${id}Role: may logs:CreateLogStream and logs:PutLogEvents on ${id}Logs.Arn`,
    stage.ownKey &&
      `
${id} may use the key of the table
  ${id}Role: ${mayUse(keyActions, 'dynamodb')}`,
    stage.alarms
      ? `
metrics count what ${id} logs, and a minute without an accepted token as 0
  ${each(
    Object.keys(requestMetrics),
    (it) => `${id}Logs${flat(it)}.LogGroupName is ${id}Logs
  ${id}Logs${flat(it)}.MetricTransformations.MetricValue is 1`,
  )}
  ${id}Logsacceptedtokens.MetricTransformations.DefaultValue is 0
a response of ${id} is slow after the time that the stage says, unless it is a failure or of a refused token
  ${id}Logsslowresponses.FilterPattern is { (($.tenant = "*") && ($.outcome != "insufficient_scope")) && ($.status < 500) && ($.duration_ms > ${stage.alarms.slowMs}) }
CodeDeploy rolls a new version of ${id} back if one of its alarms rings
  RollOutGroup${slug}.AlarmConfiguration.Alarms is ${alarm}errors and ${alarm}internal and ${alarm}unavailable and ${alarm}duration
  RollOutGroup${slug}.AlarmConfiguration.Enabled is true
  RollOutGroup${slug}.AutoRollbackConfiguration.Enabled is true
  RollOutGroup${slug}.AutoRollbackConfiguration.Events is DEPLOYMENT_FAILURE and DEPLOYMENT_STOP_ON_REQUEST and DEPLOYMENT_STOP_ON_ALARM
  RollOutGroup${slug}.DeploymentConfigName is CodeDeployDefault.LambdaCanary10Percent10Minutes
  RollOutGroup${slug}.ServiceRoleArn is RollOutRole.Arn
  RollOutRole: codedeploy.amazonaws.com may sts:AssumeRole ${ifFrom('codedeploy', 'deploymentgroup:RollOutApplication/*')}
  RollOutRole: has arn:aws:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited
these alarms count only the new version of ${id}
  ${each(['operation', 'outcome', 'function_version'], (it) => `${id}Logsfailuresbyversion.MetricTransformations.Dimensions.${it} is $.${it}`)}
  ${alarm}errors.MetricName is Errors
  ${alarm}duration.MetricName is Duration
  ${each(
    Object.entries({ errors: 0, internal: 0, unavailable: 0, duration: stage.alarms.slowMs }),
    ([it, limit]) => `${alarm}${it}.ComparisonOperator is GreaterThanThreshold
  ${alarm}${it}.Threshold is ${limit}`,
  )}
  ${each(
    ['errors', 'duration'],
    (it) => `${alarm}${it}.Dimensions.FunctionName is ${id}Function
  ${alarm}${it}.Dimensions.Resource is ${id}Function:live
  ${alarm}${it}.Dimensions.ExecutedVersion is ${id}FunctionCurrentVersion.Version`,
  )}
  ${each(
    ['internal', 'unavailable'],
    (it) => `${alarm}${it}.Metrics.m1.MetricStat.Metric.MetricName is failures_by_version
  ${alarm}${it}.Metrics.m1.MetricStat.Metric.Dimensions.operation is ${id.charAt(0).toLowerCase()}${id.slice(1)}
  ${alarm}${it}.Metrics.m1.MetricStat.Metric.Dimensions.outcome is ${it}
  ${alarm}${it}.Metrics.m1.MetricStat.Metric.Dimensions.function_version is ${id}FunctionCurrentVersion.Version`,
  )}`
      : '',
    stage.alarms && settings.rollOut !== 'direct'
      ? `
CodeDeploy shifts the traffic of ${id}, once its alarms exist
  ${id}FunctionAliaslive.UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName is RollOutGroup${slug}
  ${id}FunctionAliaslive is created after RollOutGroup${slug}`
      : `
CloudFormation shifts the traffic of ${id} at once
  no ${id}FunctionAliaslive.UpdatePolicy`,
  ];
};

const apiPage = ({ stage, settings }: Deployment) => [
  `
API Gateway admits as many requests as the stage says, and logs each
  HttpStage.DefaultRouteSettings.ThrottlingRateLimit is ${stage.throttle.requestsPerSecond}
  HttpStage.DefaultRouteSettings.ThrottlingBurstLimit is ${stage.throttle.burst}
  HttpStage.AccessLogSettings.DestinationArn is HttpAccessLog.Arn
  HttpStage.AccessLogSettings.Format.status is $context.status`,
  settings.corsOrigins
    ? `
pages of the allowed origins may send and read what the contract has
  HttpApi.CorsConfiguration.AllowOrigins is ${joined(splitList(settings.corsOrigins))}
  HttpApi.CorsConfiguration.AllowMethods is ${joined(cors.methods)}
  HttpApi.CorsConfiguration.AllowHeaders is ${joined(cors.requestHeaders)}
  HttpApi.CorsConfiguration.ExposeHeaders is ${joined(cors.responseHeaders)}`
    : `
pages of other sites may read nothing
  no HttpApi.CorsConfiguration`,
  settings.domainName
    ? `
the API responds at its domain name only, from TLS 1.2 on
  DomainDomainName.DomainName is ${settings.domainName}
  DomainDomainName.DomainNameConfigurations.SecurityPolicy is TLS_1_2
  HttpMapping.DomainName is DomainDomainName
  HttpMapping.ApiId is HttpApi
  HttpMapping.Stage is $default
  HttpApi.DisableExecuteApiEndpoint is true
  output.BaseUrl.Value is https://DomainDomainName`
    : `
the API responds at the address that AWS gives it
  no Domain
  no HttpApi.DisableExecuteApiEndpoint
  output.BaseUrl.Value is HttpApi.ApiEndpoint`,
  settings.domainName &&
    (settings.hostedZoneId
      ? `
a DNS record leads to the domain name
  DomainRecord.HostedZoneId is ${settings.hostedZoneId}
  DomainRecord.Name is ${settings.domainName}.
  DomainRecord.AliasTarget.DNSName is DomainDomainName.RegionalDomainName
  DomainRecord.AliasTarget.HostedZoneId is DomainDomainName.RegionalHostedZoneId`
      : `
an output says where the team's own DNS record leads
  no DomainRecord
  output.ApiDomainTarget.Value is DomainDomainName.RegionalDomainName`),
  settings.trustStore &&
    `
the domain name lets in only clients with a certificate of the trust store
  DomainDomainName.MutualTlsAuthentication.TruststoreUri is ${settings.trustStore}
  DomainDomainName.MutualTlsAuthentication.TruststoreVersion is ${settings.trustStoreVersion}`,
  settings.issuer
    ? `
another issuer takes the place of the user pool
  no TokenIssuer
  no output.TokenEndpoint`
    : `
the user pool gives tokens to its clients only, with the scopes of the operations
  TokenIssuerUserPool.AdminCreateUserConfig.AllowAdminCreateUserOnly is true
  TokenIssuerUserPoolMachineClient.UserPoolId is TokenIssuerUserPool
  TokenIssuerUserPoolMachineClient.AllowedOAuthFlows is client_credentials
  TokenIssuerUserPoolMachineClient.AllowedOAuthScopes is TokenIssuerUserPoolResourceServer/applications:read and TokenIssuerUserPoolResourceServer/jobs:write
  TokenIssuerUserPoolDomain.UserPoolId is TokenIssuerUserPool
  output.TokenEndpoint.Value is https://TokenIssuerUserPoolDomain.auth.AWS::Region.amazoncognito.com/oauth2/token
  output.UserPoolId.Value is TokenIssuerUserPool
  output.ClientId.Value is TokenIssuerUserPoolMachineClient`,
];

const dataPage = ({ stack, stage, settings }: Deployment) => [
  `
the table has its keys, the index of a candidate and expiry, and takes any number of requests
  StorageTable.KeySchema.pk.KeyType is HASH
  StorageTable.KeySchema.sk.KeyType is RANGE
  StorageTable.BillingMode is PAY_PER_REQUEST
  StorageTable.TimeToLiveSpecification.AttributeName is expires_at
  StorageTable.TimeToLiveSpecification.Enabled is true
  StorageTable.GlobalSecondaryIndexes.by-candidate.KeySchema.candidate_pk.KeyType is HASH
  output.TableName.Value is ${restoredOf(settings).table ?? 'StorageTable'}
logs stay for as long as the stage says
  ${each(logGroups, (it) => `${it} is an AWS::Logs::LogGroup`)}
  ${each(logGroups, (it) => `${it}.RetentionInDays is ${stage.logRetention}`)}`,
  stage.ownKey &&
    `
the table and the logs are encrypted with the key, which CloudWatch Logs may use
  StorageTable.SSESpecification.KMSMasterKeyId is EncryptionKey.Arn
  no EncryptionKey.Enabled
  ${each(logGroups, (it) => `${it}.KmsKeyId is EncryptionKey.Arn`)}
  EncryptionKey: arn:aws:iam::AWS::AccountId:root may kms:* on *
  EncryptionKey: logs.AWS::Region.amazonaws.com may kms:Decrypt and kms:DescribeKey and kms:Encrypt and kms:GenerateDataKey* and kms:ReEncrypt* on * if kms:EncryptionContext:aws:logs:arn ArnLike arn:aws:logs:AWS::Region:AWS::AccountId:log-group:${stack}-*`,
  stage.keepsData &&
    `
the data outlives the stack, and any mistake in the table
  ${each(['StorageTable', 'EncryptionKey'], (it) => `${it}.DeletionPolicy is Retain`)}
  ${each(['EventsBus', 'EventsArchive', 'EventsDeadLetters', ...logGroups], (it) => `${it}.DeletionPolicy is RetainExceptOnCreate`)}
  StorageTable.DeletionProtectionEnabled is true
  StorageTable.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled is true`,
  stage.keepsData &&
    !settings.issuer &&
    `
the user pool outlives the stack, with its client
  TokenIssuerUserPool.DeletionPolicy is Retain
  TokenIssuerUserPool.DeletionProtection is ACTIVE
  TokenIssuerUserPoolMachineClient.DeletionPolicy is RetainExceptOnCreate`,
  stage.hasProbe &&
    !settings.issuer &&
    `
an output names the client of the probe, which does not outlive the stack
  TokenIssuerUserPoolProbeClient.DeletionPolicy is Delete
  output.ProbeClientId.Value is TokenIssuerUserPoolProbeClient`,
  settings.filesBucket &&
    `
GetApplication signs addresses of files, in buckets of this account only
  GetApplicationFunction.Environment.Variables.FILES_BUCKET is ${settings.filesBucket}
  GetApplicationRole: may s3:GetObject on ${joined(splitList(settings.filesBucket).map((it) => `arn:aws:s3:::${it}/*`))} if aws:ResourceAccount StringEquals AWS::AccountId`,
  settings.filesKey &&
    `
GetApplication may use the keys of the files
  GetApplicationRole: ${mayUse(DECRYPT, 's3', joined(splitList(settings.filesKey)))}`,
];

const eventPage = ({ stage, settings }: Deployment) => {
  const { stream = 'StorageTable.StreamArn' } = restoredOf(settings);
  const reading = 'EventsPipe.SourceParameters.DynamoDBStreamParameters';
  return [
    `
the pipe reads the stream of the table, with both images and from its oldest record on
  StorageTable.StreamSpecification.StreamViewType is NEW_AND_OLD_IMAGES
  EventsPipe.Source is ${stream}
  no EventsPipe.DesiredState
  ${reading}.StartingPosition is TRIM_HORIZON
  EventsPipe.RoleArn is EventsPipeRole.Arn
  EventsPipe is created after EventsPipeRoleDefaultPolicy
  EventsPipe is created after StorageTable
  EventsPipeRole: pipes.amazonaws.com may sts:AssumeRole ${ifFrom('pipes', 'pipe/*')}
  EventsPipeRole: may dynamodb:DescribeStream and dynamodb:GetRecords and dynamodb:GetShardIterator on ${stream}
the pipe puts events on the bus of the stack
  EventsPipe.Target is EventsBus.Arn
  EventsPipe.TargetParameters.EventBridgeEventBusParameters.Source is recruitment
  EventsPipe.TargetParameters.EventBridgeEventBusParameters.DetailType is job.status_changed
  EventsPipe.TargetParameters.InputTemplate is ${changeTemplate}
  EventsPipeRole: may events:PutEvents on EventsBus.Arn
  output.EventBusName.Value is EventsBus
a change that the pipe gives up on goes to the dead-letter queue: alone, and while the stream still has it
  ${reading}.DeadLetterConfig.Arn is EventsDeadLetters.Arn
  ${reading}.OnPartialBatchItemFailure is AUTOMATIC_BISECT
  ${reading}.MaximumRecordAgeInSeconds is ${6 * 3600}
  EventsPipeRole: may sqs:SendMessage on EventsDeadLetters.Arn
  EventsDeadLetters: * may not sqs:* on EventsDeadLetters.Arn if aws:SecureTransport Bool false
  EventsDeadLetters.MessageRetentionPeriod is ${14 * 86_400}
  output.EventDeadLetterQueueUrl.Value is EventsDeadLetters
the pipe logs its failures, without the records
  EventsPipe.LogConfiguration.CloudwatchLogsLogDestination.LogGroupArn is EventsPipeLogs.Arn
  EventsPipe.LogConfiguration.Level is ERROR
  no EventsPipe.LogConfiguration.IncludeExecutionData`,
    stage.ownKey &&
      `
the pipe may use the key of the table
  EventsPipeRole: ${mayUse(DECRYPT, 'dynamodb')}`,
    stage.eventRetention &&
      `
the archive keeps the events of the bus
  EventsArchive.SourceArn is EventsBus.Arn
  EventsArchive.EventPattern.source is recruitment
  EventsArchive.EventPattern.detail-type is job.status_changed
  EventsArchive.RetentionDays is ${stage.eventRetention.toDays()}
  output.EventArchiveArn.Value is EventsArchive.Arn`,
  ];
};

const alarmPage = ({ stack, stage, settings }: Deployment) => {
  if (!stage.alarms) return [];
  const metric = (alarm: string, id: string) =>
    `ObservabilityAlarms${flat(alarm)}.Metrics.${id}.MetricStat.Metric`;
  const crashes = functions.map(({ id }, nth) => [`crashes${nth}`, `${id}Function`]);
  const { objectivePercent } = stage.alarms;
  /** alarms.ts explains these burn rates. */
  const percentAt = (burnRate: number) => Number((burnRate * (100 - objectivePercent)).toFixed(4));
  const limits = Object.entries({
    outage: percentAt(28.8),
    'error-budget': percentAt(1.5),
    slow: 25,
    bugs: percentAt(0.2),
    'tokens-rejected': 10,
    'throttled-requests': stage.alarms.throttledPercent,
    'events-late': 40,
    'dead-letters': 0,
    ...(settings.domainName && { 'certificate-ends': 0 }),
  });
  return [
    `
each alarm reads what it is about
  ${each(
    ['outage', 'error-budget'],
    (it) => `${metric(it, 'failed')}.MetricName is 5xx
  ${metric(it, 'failed')}.Dimensions.ApiId is HttpApi`,
  )}
  ${metric('slow', 'failed')}.MetricName is slow_responses
  ObservabilityAlarmsslow.Metrics.percent.Expression is 100 * failed / others
  ${each(['outage', 'error-budget', 'slow', 'bugs', 'tokens-rejected'], (it) => `${metric(it, 'others')}.MetricName is accepted_tokens`)}
  ${metric('bugs', 'bugs')}.MetricName is bugs
  ${metric('tokens-rejected', 'failed')}.MetricName is rejected_tokens
  ${metric('throttled-requests', 'failed')}.MetricName is throttled_requests
  ${metric('throttled-requests', 'requests')}.MetricName is Count
  ${metric('events-late', 'changes')}.MetricName is status_changes
  ${metric('events-late', 'events')}.MetricName is MatchedEvents
  ${metric('events-late', 'events')}.Dimensions.RuleName is ObservabilityPublished
  ${metric('dead-letters', 'm1')}.Dimensions.QueueName is EventsDeadLetters.QueueName
each alarm acts as soon as it is above its limit
  ${each(
    limits,
    ([it, limit]) => `ObservabilityAlarms${flat(it)}.ComparisonOperator is GreaterThanThreshold
  ObservabilityAlarms${flat(it)}.Threshold is ${limit}
  no ObservabilityAlarms${flat(it)}.ActionsEnabled`,
  )}
  ObservabilityAlarmsslow.Metrics.expr_1.Expression is percent / ((failed >= 10 AND percent > 25) OR percent <= 12.5)
  ObservabilityAlarmseventslate.Metrics.expr_1.Expression is IF(changes - events >= 3 OR changes - events >= changes, 100 * (changes - events) / changes, 0)
a crash of either function is a bug
  ObservabilityAlarmsbugs.Metrics.failed.Expression is bugs + ${crashes.map(([id]) => id).join(' + ')}
  ${each(crashes, ([id = '', name]) => `${metric('bugs', id)}.Dimensions.FunctionName is ${name}`)}
responses with 429 are counted
  HttpThrottledRequests.LogGroupName is HttpAccessLog
  HttpThrottledRequests.FilterPattern is { $.status = "429" }
  HttpThrottledRequests.MetricTransformations.DefaultValue is 0
  HttpThrottledRequests.MetricTransformations.MetricValue is 1
published events are counted, and replayed ones not again
  ObservabilityPublished.EventBusName is EventsBus
  no ObservabilityPublished.State
  ObservabilityPublished.EventPattern.source is recruitment
  ObservabilityPublished.EventPattern.detail-type is job.status_changed
  ObservabilityPublished.EventPattern.replay-name.exists is false
the rule that counts them has a target, which nobody reads
  ObservabilityPublished.Targets.Queue.Arn is ObservabilityPublishedEvents.Arn
  ObservabilityPublishedEvents.MessageRetentionPeriod is 3600
  ObservabilityPublishedEvents: events.amazonaws.com may sqs:SendMessage on ObservabilityPublishedEvents.Arn if aws:SourceArn ArnEquals ObservabilityPublished.Arn
  ObservabilityPublishedEvents: * may not sqs:* on ObservabilityPublishedEvents.Arn if aws:SecureTransport Bool false
the alarms of this stack may publish to the topic, and nothing else may
  output.AlarmTopicArn.Value is ObservabilityAlarmTopic
  ObservabilityAlarmTopic: * may not sns:Publish on ObservabilityAlarmTopic if aws:SecureTransport Bool false
  ObservabilityAlarmTopic: cloudwatch.amazonaws.com may sns:Publish on ObservabilityAlarmTopic ${ifFrom('cloudwatch', `alarm:${stack}-*`)}
the saved queries search the logs of both functions
  ${each(Object.keys(queries), (it) => `ObservabilityQueries${flat(it)}.LogGroupNames is GetApplicationLogs and UpdateJobStatusLogs`)}
the dashboard is named after its region, because dashboards of all regions share their names
  ObservabilityDashboard.DashboardName is ${stack}-AWS::Region`,
    settings.domainName &&
      `
an alarm rings when the certificate has less than 30 days left
  ObservabilityAlarmscertificateends.Metrics.expr_1.Expression is 30 - days
  ${metric('certificate-ends', 'days')}.Dimensions.CertificateArn is ${settings.certificateArn}`,
    settings.alarmEmail &&
      `
the topic mails what it gets
  ObservabilityAlarmTopic${flat(settings.alarmEmail)}.Endpoint is ${settings.alarmEmail}
  ObservabilityAlarmTopic${flat(settings.alarmEmail)}.Protocol is email
  ObservabilityAlarmTopic${flat(settings.alarmEmail)}.TopicArn is ObservabilityAlarmTopic`,
  ];
};

function restoredOf({ restoredTableStream: stream }: Deployment['settings']) {
  if (stream === undefined) return {};
  const [, arn, table] = /^(.*:table\/(.*))\/stream/.exec(stream) ?? [];
  return { stream, table, tables: `${arn} and StorageTable.Arn` };
}

function wiresOf({ stage: name, ...settings }: Record<string, string>): [string, string[]][] {
  const stage = stages[stageNames.find((it) => it === name) ?? 'dev'];
  const deployment = { stack: `RecruitmentService-${name}`, stage, settings };
  const pages = [
    ...functions.flatMap((each) => functionPage(each, deployment)),
    ...[apiPage, dataPage, eventPage, alarmPage].flatMap((page) => page(deployment)),
  ];
  const sentences = pages.filter(Boolean).join('').trim().replaceAll('eu-west-1', 'AWS::Region');
  return sentences.split(/\n(?=\S)/).map((text) => {
    const [sentence = '', ...lines] = text.split('\n').map((line) => line.trim());
    return [sentence, lines];
  });
}

describe.each(deployments)('in %s', (_, context) => {
  const lines = linesOf(templateOf(context));
  const wires = wiresOf(context);

  it.each(wires)('%s', (_sentence, wanted) => {
    // Shows, for a missing line, what the template says about its subject instead.
    const found = wanted.flatMap((line) => {
      const [, no, subject = ''] = /^(no )?(.*?:(?= )|.*?(?= is )|.*)/.exec(line) ?? [];
      const said = lines.filter((it) => it.startsWith(subject));
      return lines.includes(line) || (no && said.length === 0) ? line : said;
    });
    expect(found).toEqual(wanted);
  });

  it('no route, permission or log group is without a sentence', () => {
    const inSentences = new Set(wires.flatMap(([, its]) => its));
    const wiring = lines.filter((it) =>
      /^\w+: |\.RouteKey is | is an AWS::Logs::LogGroup/.test(it),
    );
    expect(wiring.filter((line) => !inSentences.has(line))).toEqual([]);
  });
});
