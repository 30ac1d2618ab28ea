import { isDeepStrictEqual } from 'node:util';
import { entityTag } from '../../../functions/contract/headers.ts';
import type { Operation } from '../../../functions/contract/operation.ts';
import type { ProblemCode } from '../../../functions/contract/problem.ts';
import { isRecord } from '../../../functions/domain/record.ts';
import { checkResponse, codeOf, inLowerCase } from '../../openapi/check-response.ts';
import { nameOf } from '../cli/failure.ts';

/** A request, and what its response must be besides what the contract says of it. */
export interface Step {
  /** What the service does, as a sentence without its subject. */
  name: string;
  operation: Operation;
  /** Those of the path, which need no encoding. */
  parameters: Readonly<Record<string, string>>;
  /** Sent as JSON, and the version sent as If-Match. */
  sent?: object;
  version?: number;
  /** The problem that is expected; without one, the operation's success. For `unauthenticated`, no token is sent. */
  problem?: ProblemCode;
  /** The headers, by their names in lower case, and the members of the body that are expected. */
  members?: Readonly<Record<string, unknown>>;
  /** Whether `resume_url` is a presigned URL, which must open. */
  opensFile?: boolean;
}

export interface Access {
  baseUrl: URL;
  token: string;
  /** How long to wait for a response, in milliseconds. */
  timeoutMs: number;
}

export interface Outcome {
  /** What is wrong, without values of a body and presigned URLs; nothing if the step has passed. */
  faults: string[];
  /** Whether any version may fail like this for a moment: no response, 429 or 503. */
  isTransient: boolean;
}

/**
 * Sends the request of a step and checks its response. A redirect is one: the API has none.
 * @throws the reason of the signal.
 */
export async function attempt(step: Step, access: Access, signal: AbortSignal): Promise<Outcome> {
  const { operation, parameters, version, sent } = step;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const send = (url: string, init: RequestInit) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(access.timeoutMs)]);
    return fetch(url, { ...init, redirect: 'manual', signal: limit });
  };
  try {
    const response = await send(access.baseUrl.href.replace(/\/$/, '') + path, {
      method: operation.method,
      headers: {
        ...(version !== undefined && { 'If-Match': entityTag(version) }),
        ...(step.problem !== 'unauthenticated' && { Authorization: `Bearer ${access.token}` }),
        ...(sent && { 'Content-Type': 'application/json' }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    const body = await response.json().catch((error) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
    const faults = mismatches(step, response, body);
    // The log has this id, and beside it the version that responded.
    if (faults.length > 0) faults.push(`request_id ${response.headers.get('x-request-id')}`);
    if (faults.length > 0 || !step.opensFile || !isRecord(body)) return outcomeOf(response, faults);
    // Without the token, which belongs to the API.
    const file = await send(String(body.resume_url), { headers: { Range: 'bytes=0-0' } });
    const [code] = /(?<=<Code>)\w+/.exec(await file.text()) ?? [];
    return outcomeOf(file, file.ok ? [] : [`the presigned URL got ${file.status} ${code}`]);
  } catch (error) {
    signal.throwIfAborted();
    // What undici throws says "fetch failed"; its cause says why.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? nameOf(cause) : cause;
    return { faults: [`no complete response (${reason})`], isTransient: true };
  }
}

const outcomeOf = ({ status }: Response, faults: string[]): Outcome => ({
  faults,
  isTransient: status === 429 || status === 503,
});

/** What is wrong with a response. It says what was expected, but shows no value of the body. */
function mismatches(step: Step, { status, headers: received }: Response, body: unknown): string[] {
  const { operation, problem, members = {} } = step;
  const code = codeOf(body);
  const expected = problem ?? operation.response.status;
  if ((code ?? status) !== expected) {
    const hint = code?.endsWith('not_found')
      ? ': do --tenant and --table fit the token and API?'
      : '';
    return [`expected ${expected}, got ${code ?? status}${hint}`];
  }
  const headers = inLowerCase(Object.fromEntries(received));
  const all = { ...headers, ...(isRecord(body) && body) };
  return [
    ...checkResponse(operation, { status, headers, body }),
    ...Object.entries(members)
      .filter(([member, value]) => !isDeepStrictEqual(all[member], value))
      .map(([member, value]) => `${member} must be ${JSON.stringify(value)}`),
  ];
}
