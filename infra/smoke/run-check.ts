import { isDeepStrictEqual } from 'node:util';
import { entityTag } from '../../functions/contract/headers.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemDefinitions } from '../../functions/contract/problem.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { nameOf } from '../command/failure.ts';
import { quoted } from '../command/output.ts';
import { checkResponse, codeOf, withDocumentedNames } from '../documents/check-response.ts';

/** A request, and what its response must have beyond what the contract says. */
export interface Check {
  name: string;
  operation: Operation;
  /** Sent as they are, without encoding. */
  parameters: Readonly<Record<string, string>>;
  sent?: object;
  version?: number;
  /** The problem to expect; by default, success. With `unauthenticated`, no token is sent. */
  problem?: ProblemCode;
  /** Expected headers (in lower case) and members of the body. */
  members?: Readonly<Record<string, unknown>>;
  /** `resume_url` must be a presigned URL that opens. */
  opensFile?: boolean;
}

export interface Access {
  baseUrl: URL;
  token: string;
  timeoutMs: number;
}

interface CheckResult {
  /** Never contain values from the body or presigned URLs. Empty after success. */
  faults: string[];
  /** No response, 429 or 503: even a correct function version may cause these for a moment. */
  isTransient: boolean;
  /** `detail` of an unexpected 401 or 403. It describes the token, without personal data. */
  refusal?: string;
}

/**
 * Does not follow redirects: the API sends none, so one is a fault.
 * @throws the signal's reason.
 */
export async function runCheck(
  check: Check,
  access: Access,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { operation, parameters, version, sent } = check;
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
        ...(check.problem !== 'unauthenticated' && { Authorization: `Bearer ${access.token}` }),
        ...(sent && { 'Content-Type': 'application/json' }),
      },
      ...(sent && { body: JSON.stringify(sent) }),
    });
    const body = await response.json().catch((error) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
    const faults = mismatches(check, response, body);
    // Leads to the log line, which also names the function version.
    if (faults.length > 0) faults.push(`request_id ${response.headers.get('x-request-id')}`);
    if (faults.length > 0 || !check.opensFile || !isObject(body)) {
      const refusal = refusalOf(check, body);
      return { ...checkResultOf(response, faults), ...(refusal && { refusal }) };
    }
    // Only the API may get the token.
    const file = await send(String(body.resume_url), { headers: { Range: 'bytes=0-0' } });
    const [code] = /(?<=<Code>)\w+/.exec(await file.text()) ?? [];
    return checkResultOf(file, file.ok ? [] : [`the presigned URL got ${file.status} ${code}`]);
  } catch (error) {
    signal.throwIfAborted();
    // `fetch` itself says only "fetch failed"; the reason is in `cause`.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = cause instanceof Error ? nameOf(cause) : cause;
    return { faults: [`no complete response (${reason})`], isTransient: true };
  }
}

/** Undefined without one of the contract's codes: another program may have responded, and may repeat the token. */
function refusalOf({ problem }: Check, body: unknown): string | undefined {
  const code = codeOf(body);
  if (code === undefined || code === problem || !isObject(body)) return undefined;
  const isRefusal = [401, 403].includes(problemDefinitions[code].status);
  return isRefusal && typeof body.detail === 'string' ? quoted(body.detail) : undefined;
}

const checkResultOf = ({ status }: Response, faults: string[]): CheckResult => ({
  faults,
  isTransient: status === 429 || status === 503,
});

function hintFor(expected: string | number, code: string | undefined): string {
  if (!code?.endsWith('not_found')) return '';
  return expected === 'insufficient_scope'
    ? ': without --table, use a token that has no scope of the API'
    : ": does --tenant match the token, and is --table the API's table?";
}

function mismatches(check: Check, response: Response, body: unknown): string[] {
  const { operation, problem, members = {} } = check;
  const { status } = response;
  const code = codeOf(body);
  const expected = problem ?? operation.response.status;
  if ((code ?? status) !== expected) {
    return [`expected ${expected}, got ${code ?? status}${hintFor(expected, code)}`];
  }
  const headers = withDocumentedNames(Object.fromEntries(response.headers));
  const all = { ...headers, ...(isObject(body) && body) };
  return [
    ...checkResponse(operation, { status, headers, body }),
    ...Object.entries(members)
      .filter(([member, value]) => !isDeepStrictEqual(all[member], value))
      .map(([member, value]) => `${member} must be ${JSON.stringify(value)}`),
  ];
}
