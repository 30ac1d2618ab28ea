// Client of the recruitment API for Node.js 22.18 or later, without dependencies. docs/integrate.md
// of the service explains the policy, and how to generate recruitment.d.ts for type checks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './recruitment.js';

export type Application = components['schemas']['Application'];
export type JobStatus = components['schemas']['JobStatus'];
export type Problem = components['schemas']['Problem'];

export interface Result {
  status: number; // 0 if there is no response
  headers: Headers;
  body: Record<string, unknown>; // empty if it is not a JSON object
  problem: number; // the status if the body is the service's own problem; otherwise 0
  isConnected: boolean; // false if nothing was sent
  summary: string; // for a log
}

type Row = [
  name: string,
  repeat: 'yes' | 'no' | 'with a new token',
  update: 'applied' | 'not applied' | 'unknown',
  fits: (it: Result) => boolean,
];

/** As in docs/integrate.md#repeat-a-request: the first row that fits a result counts. */
const POLICY: readonly Row[] = [
  ['no connection', 'yes', 'not applied', (it) => !it.isConnected],
  ['no response', 'yes', 'unknown', (it) => it.status === 0],
  ['success', 'no', 'applied', (it) => it.status === 200 && it.body.success === true],
  ['token rejected', 'with a new token', 'not applied', (it) => it.status === 401],
  ['too many requests', 'yes', 'not applied', (it) => it.status === 429],
  ['rejected', 'no', 'not applied', (it) => it.status >= 400 && it.status < 500],
  ['internal error', 'no', 'unknown', (it) => it.problem === 500],
  ['unavailable', 'yes', 'not applied', (it) => it.problem === 503 && !it.body.outcome_unknown],
  ['server error', 'yes', 'unknown', (it) => it.status >= 500 && it.status < 600],
];
const UNEXPECTED: Row = ['unexpected', 'no', 'unknown', () => true];

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200; // at most; the limit doubles with each pause
const LONGEST_RETRY_AFTER_MS = 30_000;
const BODY_LIMIT_BYTES = 1_000_000;
// With these error codes, nothing was sent. If a proxy answers 407, the error of `fetch` has no
// code, so the attempt counts as one without a response.
const NO_CONNECTION = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_URL'];
const TOKEN = /^[\w.~+/-]+=*$/; // RFC 6750, section 2.1
const TOKEN_LIFETIME_S = 3600; // of a token whose `expires_in` is not a number
const LONGEST_TOKEN_LIFETIME_S = 86_400;
const NO_ETAG = " without an ETag, which a proxy has removed: you may take your own change for others'";
const RENEWAL_S = 60; // before the token expires

export interface Settings {
  baseUrl: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** Whatever else the issuer needs in a token request, such as Auth0's `audience`. */
  tokenParameters?: Record<string, string>;
  /** Time for one attempt, up to the last byte of the response; 10 seconds by default. */
  attemptMs?: number;
}

/** For a whole call, with its token request, attempts and pauses. 30 seconds by default. */
export type Limit = { timeoutMs?: number; signal?: AbortSignal };

export interface Change {
  outcome:
    | 'set'
    | 'probably set' // an attempt was lost, and a 412 has the version after yours, unless you sent 0
    | 'changed by others' // a 412 with any other version, or without a lost attempt
    | 'no such job' // 404
    | 'not allowed' // 409
    | 'not set' // nothing was sent, or every result says that nothing was changed
    | 'unknown'; // an attempt was lost
  lost: boolean; // an attempt may have made the change, and no response says whether it did
  version: string; // the job's, in the last response, such as `"8"`; otherwise empty, see `reason`
  reason: string; // what the last result was, for a log
  problem?: Problem; // the last response's; `not allowed` has `allowed_transitions`
}

/** Later releases may add statuses. */
export type JobState = { status: JobStatus | (string & {}); version: string };

export class RecruitmentError extends Error {
  readonly response: Result;
  constructor(response: Result) {
    super(response.summary);
    this.response = response;
  }
}

/** There is no time or no token for the next attempt. */
class NotSent extends Error {}

/** All calls of a client share its token, so create one and keep it. */
export class RecruitmentClient {
  readonly #settings: Settings;
  #token = { value: '', renewAt: 0 };
  #tokenRequest: { token: Promise<string>; callers: number; stop: AbortController } | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Rejects with a `RecruitmentError` that has the last `response`. */
  async getApplication(job: string, candidate: string, limit?: Limit): Promise<Application> {
    const path = `/v1/jobs/${encodeURIComponent(job)}/applications/${encodeURIComponent(candidate)}`;
    const { result } = await this.#call(path, {}, limit);
    if (result.status === 200 && isApplication(result.body)) return result.body;
    throw new RecruitmentError(result);
  }

  /** Changes nothing: it sends version 0, which no job has. Rejects with a `RecruitmentError`. */
  async getJobState(job: string, limit?: Limit): Promise<JobState> {
    const { result, version } = await this.#update(job, 'draft', '"0"', limit);
    const { current_status: status } = result.body;
    if (result.problem === 412 && typeof status === 'string' && version !== '')
      return { status, version };
    throw new RecruitmentError(result);
  }

  /** Sets the status only if the job still has this version: `"7"`, or the ETag of a response. */
  async setJobStatus(
    job: string,
    status: JobStatus,
    version: string,
    limit?: Limit,
  ): Promise<Change> {
    const sent = versionIn(version);
    if (sent === '') {
      const reason = `${JSON.stringify(version)} is not a version, such as "7" in quotation marks`;
      return { outcome: 'not set', lost: false, version: '', reason };
    }
    const { result, lost, version: current } = await this.#update(job, status, sent, limit);
    const outcome = outcomeOf(result, lost, sent, current);
    const { body, summary: reason } = result;
    const problem = result.problem > 0 && isProblem(body) ? { problem: body } : {};
    return { outcome, lost, version: current, reason, ...problem };
  }

  async #update(job: string, status: JobStatus, version: string, limit?: Limit) {
    const headers = { 'Content-Type': 'application/json', 'If-Match': version };
    const update = { method: 'PATCH', headers, body: JSON.stringify({ status }) };
    const path = `/v1/jobs/${encodeURIComponent(job)}/status`;
    const { result, lost } = await this.#call(path, update, limit);
    const current = versionIn(result.headers.get('ETag') ?? '');
    const hasVersion = rowOf(result)[0] === 'success' || [409, 412].includes(result.problem);
    const summary = result.summary + (hasVersion && current === '' ? NO_ETAG : '');
    return { result: { ...result, summary }, lost, version: current };
  }

  #call(path: string, init: RequestInit, { timeoutMs = 30_000, signal }: Limit = {}) {
    const timeout = timeoutMs > 0 ? timeoutSignal(timeoutMs) : AbortSignal.abort();
    const end = signal ? AbortSignal.any([timeout, signal]) : timeout;
    let rejected: string | undefined;
    const attempt = async () => {
      const token = await this.#accessToken(end, rejected);
      const headers = { ...init.headers, Authorization: `Bearer ${token}` };
      const result = await this.#send(this.#settings.baseUrl + path, { ...init, headers }, end);
      if (result.status === 401) rejected = token;
      return result;
    };
    return repeat(attempt, 1, end, performance.now() + timeoutMs);
  }

  /** One attempt. A redirect counts as a response: following it would hide a wrong address. */
  async #send(url: string, init: RequestInit, end: AbortSignal): Promise<Result> {
    if (end.aborted) throw new NotSent('the call has ended');
    const signal = AbortSignal.any([end, timeoutSignal(this.#settings.attemptMs ?? 10_000)]);
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      const decoder = new TextDecoder();
      let [text, size] = ['', 0];
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        size += chunk.length;
        if (size > BODY_LIMIT_BYTES) break; // the text is then not JSON
      }
      return resultOf(response, text);
    } catch (error) {
      const { cause = error } = Object(error); // fetch has the reason as the cause of its error
      return noResponse(`${cause}`, !NO_CONNECTION.includes(Object(cause).code));
    }
  }

  /** Calls that need a new token share one request. Each waits only until its own end. */
  async #accessToken(end: AbortSignal, rejected?: string): Promise<string> {
    if (end.aborted) throw new NotSent('the call has ended');
    const { value, renewAt } = this.#token;
    if (value !== rejected && performance.now() < renewAt) return value;
    const request = (this.#tokenRequest ??= this.#requestToken());
    request.callers += 1;
    const ended = new Promise<never>((_, reject) => {
      const abort = () => reject(new NotSent('the call ended before there was a token'));
      end.addEventListener('abort', abort, { once: true });
    });
    return Promise.race([request.token, ended]).finally(() => {
      request.callers -= 1;
      if (request.callers > 0) return;
      request.stop.abort(); // so that a later call does not wait for it
      this.#tokenRequest = undefined;
    });
  }

  #requestToken() {
    const { tokenEndpoint, clientId, clientSecret, scope, tokenParameters } = this.#settings;
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const headers = { Authorization: `Basic ${btoa(credentials)}` };
    const form = { grant_type: 'client_credentials', scope, ...tokenParameters };
    const body = new URLSearchParams(form);
    const stop = new AbortController();
    const attempt = () => this.#send(tokenEndpoint, { method: 'POST', headers, body }, stop.signal);
    const read = async () => {
      const { result } = await repeat(attempt, 0, stop.signal, Number.POSITIVE_INFINITY);
      const { access_token: value, expires_in: seconds } = result.body;
      if (result.status !== 200 || typeof value !== 'string' || !TOKEN.test(value))
        throw new NotSent(`no token from the token endpoint: ${result.summary}`);
      const lifetime = typeof seconds === 'number' ? seconds : TOKEN_LIFETIME_S;
      const usable = Math.min(lifetime, LONGEST_TOKEN_LIFETIME_S) - RENEWAL_S;
      this.#token = { value, renewAt: performance.now() + usable * 1000 };
      return value;
    };
    return { token: read(), callers: 0, stop };
  }
}

/** `lost`: an attempt may have made the update, but no response says whether it did. */
async function repeat(
  attempt: () => Promise<Result>,
  newTokens: number,
  end: AbortSignal,
  endsAt: number,
) {
  let lost = false;
  for (let n = 1, pause = FIRST_PAUSE_MS, renewals = 0; ; n += 1, pause *= 2) {
    const result = await attempt().catch((error) => {
      if (error instanceof NotSent) return error;
      throw error;
    });
    if (result instanceof NotSent) return { result: noResponse(result.message), lost };
    const [, repeat, update] = rowOf(result);
    lost ||= update === 'unknown';
    if (n === ATTEMPTS || repeat === 'no') return { result, lost };
    if (repeat === 'with a new token') {
      renewals += 1;
      if (renewals > newTokens) return { result, lost };
      continue;
    }
    const after = retryAfterMs(result.headers);
    const wait = after + Math.random() * pause;
    if (after > LONGEST_RETRY_AFTER_MS || performance.now() + wait >= endsAt)
      return { result, lost };
    await sleep(wait, undefined, { signal: end }).catch(() => {});
    if (end.aborted) return { result, lost };
  }
}

function rowOf(result: Result): Row {
  return POLICY.find(([, , , fits]) => fits(result)) ?? UNEXPECTED;
}

function outcomeOf(
  result: Result,
  lost: boolean,
  sent: string,
  current: string,
): Change['outcome'] {
  const [name] = rowOf(result);
  if (name === 'success') return 'set';
  if (result.problem === 404) return 'no such job';
  if (result.problem === 409) return 'not allowed';
  if (result.problem === 412) {
    const next = `"${BigInt(sent.slice(1, -1)) + 1n}"`;
    if (lost && current === next && sent !== '"0"') return 'probably set'; // no job has version 0
    if (!lost || current !== '') return 'changed by others';
  }
  return lost ? 'unknown' : 'not set';
}

function resultOf({ status, headers }: Response, text: string): Result {
  const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const body = /^application\/(problem\+)?json$/.test(type) ? objectIn(text) : {};
  const isProblem = type === 'application/problem+json' && typeof body.code === 'string';
  const problem = isProblem ? status : 0;
  const details = [body.code, body.error, headers.get('Location')];
  const what = details.find((it) => typeof it === 'string');
  const summary = `${status} ${what ?? type}`;
  return { status, headers, body, problem, isConnected: true, summary };
}

function noResponse(summary: string, isConnected = true): Result {
  return { status: 0, headers: new Headers(), body: {}, problem: 0, isConnected, summary };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** 0 unless the header is a number of seconds or a date in a format of RFC 9110, 5.6.7. */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const isAsctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value);
  const date = isAsctime ? `${value} GMT` : value;
  return date.endsWith('GMT') ? Math.max(0, Date.parse(date) - Date.now() || 0) : 0;
}

/** Empty without a version. A proxy may make an ETag weak (`W/"8"`) or extend it (`"8-gzip"`). */
function versionIn(etag: string): string {
  const pattern = /^(?:W\/)?"(0|[1-9]\d{0,15})(?:[-;]{1,2}(?:gzip|br|deflate|zstd))?"$/;
  const digits = pattern.exec(etag)?.[1];
  return digits === undefined ? '' : `"${digits}"`;
}

function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.ceil(ms), 2 ** 31 - 1)); // the longest timer of Node.js
}

function isApplication(body: object): body is Application {
  return 'user_id' in body;
}

function isProblem(body: object): body is Problem {
  return 'code' in body;
}
