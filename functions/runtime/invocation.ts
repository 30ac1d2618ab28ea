import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Operation } from '../contract/operation.ts';
import type { JobStatus } from '../domain/job.ts';

/** The caller that the access token names. */
export interface Caller {
  tenant: string;
  /** The token's `sub`. */
  subject: string;
  /** The program that got the token: the token's `client_id`, or its `azp` if there is no `client_id`. */
  client: string | undefined;
}

/**
 * The members of API Gateway's event (payload format 2.0) that the service reads, and the members that the
 * service's middlewares add.
 */
export interface Invocation
  extends Pick<
    APIGatewayProxyEventV2,
    'headers' | 'isBase64Encoded' | 'pathParameters' | 'routeKey'
  > {
  requestContext?: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId' | 'authentication'>;
  body?: unknown;
  /** The known parts of the caller. All parts are known once the request is authorized. */
  caller?: Partial<Caller>;
  /** The job's new status, for the log; absent if the request did not change the status. */
  statusChangedTo?: JobStatus;
}

export interface FunctionResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** A middleware of this service. It adds the members of `Added` to the invocation, for later middlewares. */
export type Middleware<Added = unknown> = MiddlewareObj<
  Invocation & Added,
  FunctionResponse,
  Error,
  Context
>;

/** Returns API Gateway's id of the request; Lambda's id of the invocation if API Gateway did not invoke the function. */
export function requestIdOf({ event, context }: { event: Invocation; context: Context }): string {
  return event.requestContext?.requestId ?? context.awsRequestId;
}

/** The headers that the contract promises for a success, with their values. */
type HeadersOf<Response> = Response extends { readonly headers: infer Headers }
  ? Readonly<Record<keyof Headers & string, string>>
  : Readonly<Record<string, never>>;

/** Returns the success response of an operation: the status and the headers of its contract, and a JSON body. */
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
