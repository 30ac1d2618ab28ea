import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Operation } from '../contract/operation.ts';
import type { JobStatus } from '../domain/job.ts';

export interface Caller {
  tenant: string;
  subject: string;
  client: string | undefined;
}

/** What the service reads from API Gateway's event (payload format 2.0), and what middlewares add to it. */
export interface Invocation
  extends Pick<
    APIGatewayProxyEventV2,
    'headers' | 'isBase64Encoded' | 'pathParameters' | 'routeKey'
  > {
  requestContext?: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId' | 'authentication'>;
  body?: unknown;
  /** Set once the token is verified. `tenant` is absent if the token names none. */
  caller?: Partial<Caller>;
  /** For the log; absent if the request changed nothing. */
  statusChangedTo?: JobStatus;
  repairedFields?: number;
}

export interface FunctionResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

export type Middleware<Added = unknown> = MiddlewareObj<
  Invocation & Added,
  FunctionResponse,
  Error,
  Context
>;

/** API Gateway's request id, or Lambda's in a direct invocation. */
export function requestIdOf({ event, context }: { event: Invocation; context: Context }): string {
  return event.requestContext?.requestId ?? context.awsRequestId;
}

type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? Readonly<Record<keyof Headers & string, string>>
  : Readonly<Record<string, never>>;

export function respond<Response extends Operation['response']>(
  { response }: { readonly response: Response },
  body: object,
  headers: HeadersOf<Response>,
): FunctionResponse {
  return {
    statusCode: response.status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
