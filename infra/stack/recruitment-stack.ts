import { Aws, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { splitList } from '../../functions/domain/split-list.ts';
import {
  contracts,
  type OperationName,
  operationNames,
} from '../../functions/operations/operations.ts';
import type { FunctionVariables } from '../../functions/platform/environment.ts';
import { RecruitmentApi } from './api.ts';
import { ApiDomain } from './api-domain.ts';
import { allowFiles } from './bucket-access.ts';
import { EncryptionKey } from './encryption.ts';
import { JobEvents } from './events/job-events.ts';
import { OperationFunction } from './function.ts';
import { Observability } from './observability/observability.ts';
import { RecruitmentTable } from './recruitment-table.ts';
import { Rollout } from './rollout.ts';
import { stages } from './settings/read-settings.ts';
import { type Settings, variablesOf } from './settings/settings.ts';
import type { Stage } from './stages/stage.ts';
import { type IssuerSettings, TokenIssuer } from './token-issuer.ts';

export class RecruitmentStack extends Stack {
  constructor(scope: Construct, id: string, { settings }: { settings: Settings }) {
    const stage = stages[settings.stage];
    super(scope, id, {
      description: 'Recruitment service',
      terminationProtection: stage.keepsData,
      // Roles that infra/scripts creates get permissions by the tag `stage`.
      tags: { service: 'recruitment', stage: settings.stage },
      ...(settings.region !== undefined && { env: { region: settings.region } }),
    });
    const encryptionKey = stage.ownKey && new EncryptionKey(this, 'Encryption', { stage }).key;
    const common = { stage, encryptionKey };
    const table = new RecruitmentTable(this, 'Storage', {
      ...common,
      restoredTableStream: settings.restoredTableStream,
    });
    const events = new JobEvents(this, 'Events', { ...common, table });
    const issuer = this.issuerOf(settings, stage);
    const environment = { ...this.environmentOf(settings, issuer, table) };
    const functions = operationNames.map((operation) => {
      const props = { ...common, operation, environment };
      const created = new OperationFunction(this, constructIdOf(operation), props);
      table.grantAction(created.function, created.permissions.tableAction);
      if (created.permissions.readsFiles) allowFiles(created, settings);
      return created;
    });
    const { domainName: name, certificateArn } = settings;
    const domain =
      name !== undefined && certificateArn !== undefined
        ? new ApiDomain(this, 'Domain', { ...settings, name, certificateArn })
        : undefined;
    const api = new RecruitmentApi(this, 'Http', {
      ...common,
      functions,
      corsOrigins: splitList(settings.corsOrigins),
      domainName: domain?.domainName,
    });
    const resources = { api, functions, table: table.table, events };
    const { alarms } = stage;
    if (alarms !== undefined) {
      const { alarmTopic } = new Observability(this, 'Observability', {
        ...common,
        stage: { ...stage, alarms },
        resources,
        alarmEmail: settings.alarmEmail,
        certificateArn,
      });
      new CfnOutput(this, 'AlarmTopicArn', { value: alarmTopic.topicArn });
      new Rollout(this, 'RollOut', {
        functions,
        thresholds: alarms,
        usesCodeDeploy: settings.rollOut !== 'direct',
      });
    }
    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'base_url of the API' });
    new CfnOutput(this, 'TableName', { value: table.table.tableName });
    new CfnOutput(this, 'EventBusName', { value: events.bus.eventBusName });
    if (events.archive)
      new CfnOutput(this, 'EventArchiveArn', { value: events.archive.archiveArn });
    new CfnOutput(this, 'EventDeadLetterQueueUrl', { value: events.deadLetterQueue.queueUrl });
  }

  private issuerOf({ issuer: named, audience, ...others }: Settings, stage: Stage): IssuerSettings {
    if (named !== undefined && audience !== undefined)
      return { issuer: named, audience, ...others };
    const issuer = new TokenIssuer(this, 'TokenIssuer', {
      stage,
      operations: contracts,
    });
    new CfnOutput(this, 'TokenEndpoint', { value: issuer.tokenEndpoint });
    new CfnOutput(this, 'UserPoolId', { value: issuer.userPoolId });
    new CfnOutput(this, 'ClientId', { value: issuer.clientId });
    if (issuer.probeClientId !== undefined)
      new CfnOutput(this, 'ProbeClientId', { value: issuer.probeClientId });
    return issuer.settings;
  }

  /** `Aws.REGION`, not the setting `region`: see `regionAsToken` in function.ts. */
  private environmentOf(
    settings: Settings,
    issuer: IssuerSettings,
    { table }: RecruitmentTable,
  ): FunctionVariables {
    return {
      SCOPE_PREFIX: '',
      AWS_ENDPOINT_URL_DYNAMODB: `https://dynamodb.${Aws.REGION}.${Aws.URL_SUFFIX}`,
      ...variablesOf({ ...settings, ...issuer }),
      ISSUER: issuer.issuer,
      AUDIENCE: issuer.audience,
      TABLE_NAME: table.tableName,
    };
  }
}

/** `GetApplication` for `get-application`. */
const constructIdOf = (name: OperationName) =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
