import type { Operation } from '../../../functions/contract/operation.ts';
import type { ApiResponse } from '../../openapi/check-response.ts';

/** A request to the API. */
export interface ApiRequest {
  operation: Operation;
  /** The values of the path's parameters. */
  parameters: Readonly<Record<string, string>>;
  /** Whether it is sent without the token. */
  isAnonymous?: boolean;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
}

/** How to reach a deployment. */
export interface ApiAccess {
  /** With the stage's path, if it has one. */
  baseUrl: URL;
  token: string;
  /** How long to wait for a response, in milliseconds. */
  timeoutMs: number;
  /** Ends the wait for a response. */
  signal: AbortSignal;
}

/** There was no answer; the message says why. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * Sends a request and reads its whole answer. A redirect is returned as an answer: the API has none.
 * @throws NoAnswer
 */
export async function send(request: ApiRequest, access: ApiAccess): Promise<ApiResponse> {
  const { operation, isAnonymous, headers, body } = request;
  const timeout = AbortSignal.timeout(access.timeoutMs);
  try {
    const response = await fetch(addressOf(request, access.baseUrl), {
      method: operation.method,
      redirect: 'manual',
      signal: AbortSignal.any([access.signal, timeout]),
      headers: {
        ...headers,
        ...(!isAnonymous && { Authorization: `Bearer ${access.token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const received = Object.fromEntries(response.headers);
    return { status: response.status, headers: received, body: parsed(text) };
  } catch (error) {
    throw new NoAnswer(reasonOf(error, access, timeout), { cause: error });
  }
}

function addressOf({ operation, parameters }: ApiRequest, baseUrl: URL): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
  return baseUrl.href.replace(/\/$/, '') + path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown, { signal, timeoutMs }: ApiAccess, timeout: AbortSignal): string {
  if (signal.aborted) return 'aborted';
  if (timeout.aborted) return `no answer within ${timeoutMs / 1000} s`;
  // What undici throws says "fetch failed"; its cause says why.
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
  return `no answer (${code})`;
}
