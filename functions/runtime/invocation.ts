import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Operation } from '../contract/operation.ts';
import type { JobStatus } from '../domain/job.ts';

/** The caller, by the access token. */
export interface Caller {
  tenant: string;
  /** The token's `sub`. */
  subject: string;
  /** The application that got the token: its `azp` or `client_id`. */
  client: string | undefined;
}

/**
 * What the service reads of an invocation by API Gateway (payload format 2.0), and what its middlewares
 * add to it.
 */
export interface Invocation
  extends Pick<
    APIGatewayProxyEventV2,
    'headers' | 'isBase64Encoded' | 'pathParameters' | 'routeKey'
  > {
  requestContext?: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId' | 'authentication'>;
  body?: unknown;
  /** What is known of the caller; complete once the caller is allowed to act. */
  caller?: Partial<Caller>;
  /** The status that the request has moved a job to, for the log. */
  statusChangedTo?: JobStatus;
}

export interface FunctionResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** A middleware of this service, which leaves `Added` on the invocation for those after it. */
export type Middleware<Added = unknown> = MiddlewareObj<
  Invocation & Added,
  FunctionResponse,
  Error,
  Context
>;

/** API Gateway's id of the request; Lambda's if something else invoked the function. */
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
