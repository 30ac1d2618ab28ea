import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Operation } from '../contract/operation.ts';
import type { JobStatus } from '../domain/job.ts';

/** The caller of a request, according to the access token. */
export interface Caller {
  tenant: string;
  /** The token's `sub`. */
  subject: string;
  /** The client that got the token, if a claim names it. */
  client: string | undefined;
}

/**
 * The event of an invocation. The interface has the members of API Gateway's event (payload format 2.0) that the
 * service reads, and the members that the service's middlewares add.
 */
export interface Invocation
  extends Pick<
    APIGatewayProxyEventV2,
    'headers' | 'isBase64Encoded' | 'pathParameters' | 'routeKey'
  > {
  requestContext?: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId' | 'authentication'>;
  body?: unknown;
  /** The caller, once the access token is verified. `tenant` is absent if the token does not name a tenant. */
  caller?: Partial<Caller>;
  /** The job's new status, for the log; absent if the request did not change the status. */
  statusChangedTo?: JobStatus;
}

export interface FunctionResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * A middleware of this service. The middleware adds the members of `Added` to the invocation. Later middlewares and the
 * handler can read these members.
 */
export type Middleware<Added = unknown> = MiddlewareObj<
  Invocation & Added,
  FunctionResponse,
  Error,
  Context
>;

/**
 * Returns the request id that API Gateway assigned. If API Gateway did not invoke the function, returns Lambda's
 * invocation id.
 */
export function requestIdOf({ event, context }: { event: Invocation; context: Context }): string {
  return event.requestContext?.requestId ?? context.awsRequestId;
}

/** The names and the values of the headers that the contract defines for a success response. */
type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? Readonly<Record<keyof Headers & string, string>>
  : Readonly<Record<string, never>>;

/** Returns an operation's success response, with the status from the contract and a JSON body. */
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
