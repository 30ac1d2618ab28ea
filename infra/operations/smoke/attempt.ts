import { isDeepStrictEqual } from 'node:util';
import { entityTag } from '../../../functions/contract/headers.ts';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { nameOf } from '../../cli/failure.ts';
import {
  type ApiResponse,
  checkResponse,
  codeOf,
  inLowerCase,
} from '../../openapi/check-response.ts';

/** A request, and what its response must be besides what the contract says of it. */
export interface Step {
  /** What the service does, as a sentence without its subject. */
  name: string;
  operation: Operation;
  /** The values of the path's parameters. */
  parameters: Readonly<Record<string, string>>;
  /** Whether it is sent without the token. */
  isAnonymous?: boolean;
  /** Sent as JSON, and the version sent as If-Match. */
  sent?: unknown;
  version?: number;
  /** The problem that is expected; without one, the operation's success. */
  problem?: ProblemCode;
  /** The headers that are expected, by their names in lower case, and the members of the body. */
  headers?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** What to check if the response says that there is no application. */
  hint?: string;
}

/** How to reach a deployment. */
export interface Access {
  /** With the stage's path, if it has one. */
  baseUrl: URL;
  token: string;
  /** How long to wait for a response, in milliseconds. */
  timeoutMs: number;
  /** Ends the wait for a response. */
  signal: AbortSignal;
}

/** What is wrong with a response, the problem that it is, and the header of its challenge. */
interface Outcome {
  wrong: string[];
  code?: ProblemCode | undefined;
  challenge?: string | undefined;
}

/** Sends the request of a step and checks its response. A redirect is one: the API has none. */
export async function attempt(step: Step, access: Access): Promise<Outcome> {
  const { method, path } = step.operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(step.parameters[name] ?? ''),
  );
  const timeout = AbortSignal.timeout(access.timeoutMs);
  try {
    const response = await fetch(access.baseUrl.href.replace(/\/$/, '') + filled, {
      method,
      redirect: 'manual',
      signal: AbortSignal.any([access.signal, timeout]),
      headers: {
        ...(step.version !== undefined && { 'If-Match': entityTag(step.version) }),
        ...(!step.isAnonymous && { Authorization: `Bearer ${access.token}` }),
        ...(step.sent !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(step.sent !== undefined && { body: JSON.stringify(step.sent) }),
    });
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const body = await new Response(await response.text()).json().catch(() => undefined);
    return {
      wrong: mismatches(step, { status, headers, body }),
      code: codeOf(body),
      challenge: Object.keys(headers).find((name) => name.endsWith('www-authenticate')),
    };
  } catch (error) {
    if (access.signal.aborted) return { wrong: ['aborted'] };
    if (timeout.aborted) return { wrong: [`no answer within ${access.timeoutMs / 1000} s`] };
    // What undici throws says "fetch failed"; its cause says why.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { wrong: [`no answer (${cause instanceof Error ? nameOf(cause) : cause})`] };
  }
}

/** What is wrong with a response. It names members of the body but never shows their values. */
function mismatches({ operation, problem, ...step }: Step, answer: ApiResponse): string[] {
  const label = (status: number, code = '') => `${status} ${code}`.trim();
  const expected = label(problem === undefined ? 200 : problemTypes[problem].status, problem);
  const got = label(answer.status, codeOf(answer.body));
  if (got !== expected) return [`expected ${expected}, got ${got}`];
  const headers = inLowerCase(answer.headers);
  const members = isRecord(answer.body) ? answer.body : {};
  return [
    ...checkResponse(operation, answer),
    ...Object.entries(step.headers ?? {})
      .filter(([name, value]) => headers[name] !== value)
      .map(([name, value]) => `${name}: expected ${value}, got ${headers[name] ?? 'none'}`),
    ...Object.entries(step.body ?? {})
      .filter(([name, value]) => !isDeepStrictEqual(members[name], value))
      .map(([name]) => `${name}: expected another value`),
  ];
}
