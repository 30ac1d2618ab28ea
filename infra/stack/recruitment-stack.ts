import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { TableGrants } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { ExternalIssuer, Settings } from '../settings/settings.ts';
import { type Stage, stages } from '../settings/stages.ts';
import { RecruitmentApi } from './api.ts';
import { ApiDomain } from './api-domain.ts';
import { EncryptionKey } from './encryption.ts';
import { JobEvents } from './events/job-events.ts';
import { OperationFunction } from './function.ts';
import { Observability } from './observability/observability.ts';
import { RollOut } from './roll-out.ts';
import { RecruitmentTable } from './table.ts';
import { TokenIssuer } from './token-issuer.ts';

interface RecruitmentStackProps extends StackProps {
  settings: Settings;
}

/** The service: table, events, a function for each operation, API and, where needed, the issuer. */
export class RecruitmentStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: RecruitmentStackProps) {
    super(scope, id, {
      description: 'Recruitment service',
      ...(settings.region !== undefined && { env: { region: settings.region } }),
      ...props,
    });
    const { apiDomain, firewall } = settings;
    const stage: Stage = stages[settings.stage];
    const encryption = new EncryptionKey(this, 'Encryption', { stage });
    const { key: encryptionKey } = encryption;
    const { table, usable } = new RecruitmentTable(this, 'Storage', {
      stage,
      encryptionKey,
      restoredStreamArn: settings.restoredStreamArn,
    });
    const { webhookUrl } = settings;
    const events = new JobEvents(this, 'Events', { stage, encryptionKey, table, webhookUrl });
    const issuer = settings.externalIssuer ?? this.ownIssuer(stage);
    const environment = {
      TABLE_NAME: table.tableName,
      AWS_ENDPOINT_URL_DYNAMODB:
        settings.databaseEndpoint ?? `https://dynamodb.${this.region}.${this.urlSuffix}`,
      ...environmentOf(settings, issuer),
    };
    const { reservesConcurrency } = settings;
    const shared = { stage, encryptionKey, environment, reservesConcurrency };
    const read = new OperationFunction(this, 'GetApplication', {
      ...shared,
      operation: 'get-application',
    });
    const update = new OperationFunction(this, 'UpdateJobStatus', {
      ...shared,
      operation: 'update-job-status',
    });
    // Of the table alone: the grants of `table` itself would cover its indexes too.
    for (const each of usable) {
      const grants = new TableGrants({ table: each, hasIndex: false });
      grants.actions(read.function, 'dynamodb:GetItem');
      grants.actions(update.function, 'dynamodb:UpdateItem');
    }
    encryption.grantTableUse(read.function);
    encryption.grantTableUse(update.function);
    const domainName = apiDomain && new ApiDomain(this, 'Domain', apiDomain).domainName;
    const functions = { 'get-application': read.function, 'update-job-status': update.function };
    const live = { 'get-application': read.live, 'update-job-status': update.live };
    const api = new RecruitmentApi(this, 'Http', {
      stage,
      encryptionKey,
      aliases: live,
      corsOrigins: settings.corsOrigins,
      domainName,
    });
    const { alarmTopic, rollbackAlarms } = new Observability(this, 'Observability', {
      stage,
      encryptionKey,
      api,
      functions,
      table,
      events,
      alarmEmail: settings.alarmEmail,
    });
    new RollOut(this, 'RollOut', {
      stage,
      aliases: live,
      alarms: rollbackAlarms,
      alarmTopic,
      isStaged: settings.rollsOut,
    });
    const url = firewall ? `https://${firewall.domainName}` : api.url;
    new CfnOutput(this, 'BaseUrl', { value: url, description: 'base_url of the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'AlarmTopicArn', { value: alarmTopic.topicArn });
    new CfnOutput(this, 'EventBusName', { value: events.bus.eventBusName });
    new CfnOutput(this, 'EventArchiveArn', { value: events.archive.archiveArn });
    new CfnOutput(this, 'EventDeadLetterQueueUrl', { value: events.deadLetterQueue.queueUrl });
  }

  private ownIssuer(stage: Stage): ExternalIssuer {
    const issuer = new TokenIssuer(this, 'TokenIssuer', { stage });
    new CfnOutput(this, 'TokenEndpoint', { value: issuer.tokenEndpoint });
    new CfnOutput(this, 'UserPoolId', { value: issuer.userPoolId });
    new CfnOutput(this, 'ClientId', { value: issuer.clientId });
    return issuer.settings;
  }
}

/** The variables that `functions/runtime/env.ts` reads, beside those of the table. */
function environmentOf(settings: Settings, issuer: ExternalIssuer): Record<string, string> {
  return {
    ISSUER: issuer.issuer,
    AUDIENCE: issuer.audience,
    SCOPE_PREFIX: issuer.scopePrefix,
    TRANSITION_POLICY: settings.transitionPolicy,
    ...(issuer.jwksUri !== undefined && { JWKS_URI: issuer.jwksUri }),
    ...(settings.tenantClaim !== undefined && { TENANT_CLAIM: settings.tenantClaim }),
  };
}
