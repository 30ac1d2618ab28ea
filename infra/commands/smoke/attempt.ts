import { isDeepStrictEqual } from 'node:util';
import { entityTag } from '../../../functions/contract/headers.ts';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { checkResponse, codeOf, inLowerCase } from '../../openapi/check-response.ts';
import { nameOf } from '../cli/failure.ts';

/** A request, and what its response must be besides what the contract says of it. */
export interface Step {
  /** What the service does, as a sentence without its subject. */
  name: string;
  operation: Operation;
  /** The values of the path's parameters, which need no encoding. */
  parameters: Readonly<Record<string, string>>;
  /** Whether it is sent without the token. */
  isAnonymous?: boolean;
  /** Sent as JSON, and the version sent as If-Match. */
  sent?: object;
  version?: number;
  /** The problem that is expected; without one, the operation's success. */
  problem?: ProblemCode;
  /** The headers, by their names in lower case, and the members of the body that are expected. */
  members?: Readonly<Record<string, unknown>>;
  /** What to check if the response says that there is no application. */
  hint?: string;
}

export interface Access {
  /** With the stage's path, if it has one. */
  baseUrl: URL;
  token: string;
  /** How long to wait for a response, in milliseconds. */
  timeoutMs: number;
}

/**
 * Sends the request of a step and checks its response. A redirect is one: the API has none.
 * @returns what is wrong.
 * @throws the reason of the signal.
 */
export async function attempt(step: Step, access: Access, signal: AbortSignal): Promise<string[]> {
  const { method, path } = step.operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => step.parameters[name] ?? '');
  try {
    const response = await fetch(access.baseUrl.href.replace(/\/$/, '') + filled, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(access.timeoutMs)]),
      headers: {
        ...(step.version !== undefined && { 'If-Match': entityTag(step.version) }),
        ...(!step.isAnonymous && { Authorization: `Bearer ${access.token}` }),
        ...(step.sent && { 'Content-Type': 'application/json' }),
      },
      ...(step.sent && { body: JSON.stringify(step.sent) }),
    });
    const body = await response.json().catch((error) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
    return mismatches(step, response, body);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'TimeoutError') {
      return [`no complete answer within ${access.timeoutMs / 1000} s`];
    }
    // What undici throws says "fetch failed"; its cause says why.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return [`no answer (${cause instanceof Error ? nameOf(cause) : cause})`];
  }
}

/** What is wrong with a response. It says what was expected, but shows no value of the body. */
function mismatches(step: Step, { status, headers: received }: Response, body: unknown): string[] {
  const { operation, problem, members = {}, hint } = step;
  const code = codeOf(body);
  const expected = problem === undefined ? '200' : `${problemTypes[problem].status} ${problem}`;
  const got = `${status} ${code ?? ''}`.trim();
  if (got !== expected) {
    const isMissing = hint !== undefined && code === 'application_not_found';
    return [`expected ${expected}, got ${got}`, ...(isMissing ? [hint] : [])];
  }
  const headers = inLowerCase(Object.fromEntries(received));
  const all = { ...headers, ...(isRecord(body) && body) };
  return [
    ...checkResponse(operation, { status, headers, body }),
    ...Object.entries(members)
      .filter(([name, value]) => !isDeepStrictEqual(all[name], value))
      .map(([name, value]) => `${name} must be ${JSON.stringify(value)}`),
  ];
}
