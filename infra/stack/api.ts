import { Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpStage,
  type IDomainName,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/contract/operations.ts';
import type { Stage } from '../settings/stages.ts';
import { keptLog } from './kept-log.ts';

interface RecruitmentApiProps {
  stage: Stage;
  encryptionKey: IKey;
  /** What answers each operation; a deployment shares the traffic of an alias out. */
  aliases: Readonly<Record<OperationName, Alias>>;
  corsOrigins: string[];
  /** A name of the deployment's own; the API then answers under no other. */
  domainName: IDomainName | undefined;
}

/** One line of JSON for each request, without its query, which may hold anything. */
const ACCESS_LOG = {
  request_id: '$context.requestId',
  time: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  protocol: '$context.protocol',
  response_length: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_latency_ms: '$context.integrationLatency',
  integration_status: '$context.integrationStatus',
  error: '$context.error.responseType',
  source_ip: '$context.identity.sourceIp',
};

/** The HTTP API, whose routes are those of the contract. */
export class RecruitmentApi extends Construct {
  readonly url: string;
  readonly stage: HttpStage;
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, props: RecruitmentApiProps) {
    super(scope, id);
    const { stage, aliases, corsOrigins, domainName } = props;
    const api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      description: 'Recruitment service',
      createDefaultStage: false,
      ...(corsOrigins.length > 0 && { corsPreflight: corsPreflight(corsOrigins) }),
      ...(domainName && { disableExecuteApiEndpoint: true }),
    });
    for (const name of operationNames) {
      const { method, path } = operations[name];
      api.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration: this.integrationOf(name, aliases[name]),
      });
    }
    this.accessLog = keptLog(this, 'AccessLog', props);
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: {
        rateLimit: stage.throttle.requestsPerSecond,
        burstLimit: stage.throttle.burst,
      },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    if (domainName) new ApiMapping(this, 'Mapping', { api, domainName, stage: this.stage });
    this.url = domainName ? `https://${domainName.name}` : api.apiEndpoint;
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The functions verify the token themselves, to answer each refusal as documented.',
    });
  }

  private integrationOf(name: OperationName, { functionArn }: Alias): HttpLambdaIntegration {
    // By its ARN, because the types of aliases do not keep to `exactOptionalPropertyTypes`.
    const live = LambdaFunction.fromFunctionAttributes(this, `Live-${name}`, {
      functionArn,
      sameEnvironment: true,
    });
    return new HttpLambdaIntegration(`Integration-${name}`, live);
  }
}

function corsPreflight(allowOrigins: string[]): CorsPreflightOptions {
  return {
    allowOrigins,
    allowMethods: operationNames.map((name) => CorsHttpMethod[operations[name].method]),
    allowHeaders: ['Authorization', 'Content-Type', 'If-Match'],
    exposeHeaders: ['ETag', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  };
}
