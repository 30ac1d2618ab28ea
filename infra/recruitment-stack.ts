import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { RecruitmentApi } from './api.ts';
import { OperationFunction } from './function.ts';
import type { ExternalIssuer, Settings } from './settings.ts';
import { RecruitmentTable } from './table.ts';
import { TokenIssuer } from './token-issuer.ts';

interface RecruitmentStackProps extends StackProps {
  settings: Settings;
}

/** The service: the table, a function for each operation, the API and, where needed, the issuer. */
export class RecruitmentStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: RecruitmentStackProps) {
    super(scope, id, { description: 'Recruitment service', ...props });
    const { table } = new RecruitmentTable(this, 'Storage');
    const issuer = settings.externalIssuer ?? this.ownIssuer();
    const environment = {
      TABLE_NAME: table.tableName,
      AWS_ENDPOINT_URL_DYNAMODB:
        settings.databaseEndpoint ?? `https://dynamodb.${this.region}.${this.urlSuffix}`,
      ...environmentOf(settings, issuer),
    };
    const read = new OperationFunction(this, 'GetApplication', {
      operation: 'get-application',
      environment,
    });
    const update = new OperationFunction(this, 'UpdateJobStatus', {
      operation: 'update-job-status',
      environment,
    });
    table.grant(read.function, 'dynamodb:GetItem');
    table.grant(update.function, 'dynamodb:UpdateItem');
    const api = new RecruitmentApi(this, 'Http', {
      functions: { 'get-application': read.function, 'update-job-status': update.function },
      corsOrigins: settings.corsOrigins,
    });
    new CfnOutput(this, 'BaseUrl', { value: api.url, description: 'base_url of the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
  }

  private ownIssuer(): ExternalIssuer {
    const issuer = new TokenIssuer(this, 'TokenIssuer');
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
