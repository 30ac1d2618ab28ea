import { Duration, Stack, Validations } from 'aws-cdk-lib';
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
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { cors } from '../../functions/operations/cors.ts';
import { operations } from '../../functions/operations/operations.ts';
import type { StorageProps } from './encryption.ts';
import type { OperationFunction } from './function.ts';
import { EncryptedLogGroup } from './log-group.ts';
import { metricsNamespace } from './observability/request-metrics.ts';

interface RecruitmentApiProps extends StorageProps {
  functions: readonly OperationFunction[];
  corsOrigins: string[];
  domainName: IDomainName | undefined;
}

const THROTTLED_REQUESTS = 'throttled_requests';

/** Leaves out path and query, which may contain personal data. */
const ACCESS_LOG = {
  request_id: '$context.requestId',
  time: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  response_length: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_latency_ms: '$context.integrationLatency',
  integration_status: '$context.integrationStatus',
  error: '$context.error.responseType',
  source_ip: '$context.identity.sourceIp',
};

export class RecruitmentApi extends Construct {
  readonly url: string;
  readonly httpStage: HttpStage;
  constructor(scope: Construct, id: string, props: RecruitmentApiProps) {
    super(scope, id);
    const { stage, functions, corsOrigins, domainName } = props;
    const api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      description: 'Recruitment service',
      createDefaultStage: false,
      ...(corsOrigins.length > 0 && { corsPreflight: corsPreflight(corsOrigins) }),
      ...(domainName && { disableExecuteApiEndpoint: true }),
    });
    for (const { operation, live } of functions) {
      const { method, path } = operations[operation];
      // By ARN, because the CDK's `Alias` does not satisfy `exactOptionalPropertyTypes`.
      const alias = LambdaFunction.fromFunctionAttributes(this, `Live-${operation}`, {
        functionArn: live.functionArn,
        sameEnvironment: true,
      });
      const integration = new HttpLambdaIntegration(`Integration-${operation}`, alias);
      api.addRoutes({ path, methods: [HttpMethod[method]], integration });
    }
    const accessLog = new EncryptedLogGroup(this, 'AccessLog', props);
    if (stage.alarms !== undefined) {
      new MetricFilter(this, 'ThrottledRequests', {
        logGroup: accessLog,
        filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
        metricNamespace: metricsNamespace(this),
        metricName: THROTTLED_REQUESTS,
        defaultValue: 0,
      });
    }
    this.httpStage = new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      throttle: {
        rateLimit: stage.throttle.requestsPerSecond,
        burstLimit: stage.throttle.burst,
      },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    if (domainName) new ApiMapping(this, 'Mapping', { api, domainName, stage: this.httpStage });
    this.url = domainName ? `https://${domainName.name}` : api.apiEndpoint;
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason:
        'The functions verify the token themselves, so that each rejected request gets the documented response.',
    });
  }

  /** API Gateway's own metric counts 429 among all 4xx. */
  metricThrottled(options: MetricOptions): Metric {
    return new Metric({
      namespace: metricsNamespace(this),
      metricName: THROTTLED_REQUESTS,
      ...options,
    });
  }
}

const corsPreflight = (allowOrigins: string[]): CorsPreflightOptions => ({
  allowOrigins,
  allowMethods: cors.methods.map((method) => CorsHttpMethod[method]),
  allowHeaders: cors.requestHeaders,
  exposeHeaders: cors.responseHeaders,
  maxAge: Duration.seconds(cors.preflightSeconds),
});
