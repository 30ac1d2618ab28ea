import { isDeepStrictEqual } from 'node:util';
import { entityTag } from '../../../functions/contract/headers.ts';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { nameOf } from '../../cli/failure.ts';
import {
  type ApiResponse,
  challengeHeaders,
  checkResponse,
  codeOf,
  headerOf,
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
  version?: number | undefined;
  /** The problem that is expected; without one, the operation's success. */
  problem?: ProblemCode;
  /** The headers that are expected. */
  headers?: Readonly<Record<string, string>>;
  /** The members of the body that are expected, in their order. */
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
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    const answer = { status: response.status, headers, body: parsed(text) };
    return {
      wrong: mismatches(step, answer),
      code: codeOf(answer.body),
      challenge: challengeHeaders.find((name) => name.toLowerCase() in headers),
    };
  } catch (error) {
    if (access.signal.aborted) return { wrong: ['aborted'] };
    if (timeout.aborted) return { wrong: [`no answer within ${access.timeoutMs / 1000} s`] };
    // What undici throws says "fetch failed"; its cause says why.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { wrong: [`no answer (${cause instanceof Error ? nameOf(cause) : cause})`] };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with a response. It names members of the body but never shows their values. */
function mismatches({ operation, problem, headers = {}, body }: Step, answer: ApiResponse) {
  const status = problem === undefined ? 200 : problemTypes[problem].status;
  const code = codeOf(answer.body);
  if (answer.status !== status || code !== problem) {
    const [wanted, got] = [
      [status, problem],
      [answer.status, code],
    ].map((parts) => parts.join(' ').trim());
    return [`expected ${wanted}, got ${got}`];
  }
  const wrong = checkResponse(operation, answer);
  for (const [name, value] of Object.entries(headers)) {
    const got = headerOf(answer, name);
    if (got !== value) wrong.push(`header ${name}: expected ${value}, got ${got ?? 'none'}`);
  }
  const members = isRecord(answer.body) ? answer.body : {};
  for (const [name, value] of Object.entries(body ?? {})) {
    if (!isDeepStrictEqual(members[name], value)) wrong.push(`${name}: expected another value`);
  }
  if (body !== undefined && !isDeepStrictEqual(Object.keys(members), Object.keys(body))) {
    wrong.push('body: expected just the members of the contract, in order');
  }
  return wrong;
}
