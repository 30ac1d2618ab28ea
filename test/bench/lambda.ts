import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type OperationName, operations } from '../../functions/contract/operations.ts';
import { MEMORY_SIZE_MB } from '../../infra/stack/function.ts';
import { eventOf } from '../support/invoke.ts';
import { credentials } from '../support/signature.ts';
import { AUDIENCE } from './stub/issuer.ts';
import { found } from './stub/items.ts';
import type { Stub } from './stub/start.ts';

/** The variables of a function, as Lambda and the stack set them, pointed at the stub. */
export function variablesOf(operation: OperationName, stub: Stub): Record<string, string> {
  return {
    ...lambdaVariables(operation),
    AWS_ENDPOINT_URL_DYNAMODB: stub.databaseUrl,
    NODE_EXTRA_CA_CERTS: stub.certificateFile,
    ISSUER: stub.issuerUrl,
    JWKS_URI: stub.jwksUri,
    AUDIENCE,
    TABLE_NAME: 'recruitment',
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
export const lambdaVariables = (operation: OperationName) => ({
  ...credentials,
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_SIZE_MB),
  AWS_LAMBDA_FUNCTION_NAME: operation,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${operation}`,
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/01/01/[$LATEST]example',
  AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001',
  AWS_REGION: 'us-east-1',
  // Nothing is there, as nothing is on Lambda: no shared configuration of this machine is read.
  HOME: '/home/sbx_user1051',
  LAMBDA_RUNTIME_DIR: '/var/runtime',
  LAMBDA_TASK_ROOT: '/var/task',
  LANG: 'en_US.UTF-8',
  PATH: '/usr/local/bin:/usr/bin/:/bin',
  TZ: ':UTC',
  _HANDLER: 'index.handler',
});

/** A proper request for an operation, as API Gateway passes it on. */
export function eventFor(
  operation: OperationName,
  token: string,
  pathParameters: Record<string, string> = found,
): APIGatewayProxyEventV2 {
  const body = { headers: { 'content-type': 'application/json' }, body: { status: 'published' } };
  return eventOf(operations[operation], {
    token,
    pathParameters,
    ...(operation === 'update-job-status' && body),
  });
}
