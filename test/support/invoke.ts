import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Operation } from '../../functions/contract/operation.ts';
import type { FunctionResponse } from '../../functions/platform/invocation.ts';
import { gatewayEvent } from '../../infra/local/gateway-event.ts';

/** API Gateway's usual values replace what a test leaves out. */
export interface TestRequest {
  pathParameters?: Record<string, string> | undefined;
  token?: string | undefined;
  /** `undefined` leaves a header out. */
  headers?: Record<string, string | undefined>;
  query?: string;
  cookies?: string[];
  /** A string is sent as it is, anything else as JSON. */
  body?: unknown;
  isBase64Encoded?: boolean;
  requestId?: string;
  /** Lambda's id of the request; `requestId` is API Gateway's. */
  invocationId?: string;
  event?: Partial<APIGatewayProxyEventV2>;
}

export interface Result {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  text: string;
}

export type Handler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<FunctionResponse>;

const REQUEST_TIME = '2026-01-01T00:00:00Z';

export async function invoke(
  handler: Handler,
  operation: Pick<Operation, 'method' | 'path'>,
  request: TestRequest,
): Promise<Result> {
  const response = await handler(eventOf(operation, request), contextOf(request));
  return {
    status: response.statusCode,
    headers: response.headers,
    body: JSON.parse(response.body),
    text: response.body,
  };
}

export function eventOf(
  operation: Pick<Operation, 'method' | 'path'>,
  request: TestRequest,
): APIGatewayProxyEventV2 {
  const { body, pathParameters, token, headers, query = '', cookies } = request;
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const event = gatewayEvent({
    operation,
    path: operation.path.replace(/\{(\w+)\}/g, (_, name) => pathParameters?.[name] ?? ''),
    pathParameters,
    query,
    headers: present({
      host: 'api.example.com',
      'user-agent': 'tests',
      authorization,
      ...headers,
    }),
    cookies,
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: request.isBase64Encoded ?? false,
    requestId: request.requestId ?? 'request-1',
    protocol: 'HTTP/1.1',
    sourceIp: '192.0.2.1',
    time: new Date(REQUEST_TIME),
  });
  return { ...event, ...request.event };
}

const present = (headers: Record<string, string | undefined>): Record<string, string> =>
  JSON.parse(JSON.stringify(headers));

/** Not even a busy machine reaches this timeout. */
export const TEST_TIMEOUT_S = 120;

export function contextOf(
  { invocationId }: Pick<TestRequest, 'invocationId'> = {},
  remainingMs = TEST_TIMEOUT_S * 1000,
): Context {
  const deadline = Date.now() + remainingMs;
  const members: Partial<Context> = {
    awsRequestId: invocationId ?? crypto.randomUUID(),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  return members as Context;
}
