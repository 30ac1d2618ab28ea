// A client of the recruitment API for Node.js 22.18 or later, without dependencies. Its types are
// generated from openapi.json. docs/integrate.md says what it repeats and what the outcomes mean.
import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './recruitment.js';

export type Application = components['schemas']['Application'];
export type JobStatus = components['schemas']['JobStatus'];

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
const LONGEST_RETRY_AFTER_MS = 30_000;
const RENEWAL_MS = 60_000;
const BODY_LIMIT_BYTES = 1_000_000;
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']; // there was no connection

export interface Settings {
  baseUrl: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** How long an attempt may take, up to the last byte of the response; 10 seconds by default. */
  attemptMs?: number;
}

/** How long a call may take, with the token and all attempts; 30 seconds by default. */
export type Limit = { timeoutMs?: number; signal?: AbortSignal };

export interface ApiResponse {
  status: number; // 0 if there is no response
  headers: Headers;
  body: Record<string, unknown>; // empty if it is not a JSON object
  isProblem: boolean;
  summary: string;
}

/** The response is not the one that was asked for. */
export class RecruitmentError extends Error {
  readonly response: ApiResponse;
  constructor(response: ApiResponse) {
    super(response.summary);
    this.response = response;
  }
}

/** All calls of one client share its token. */
export class RecruitmentClient {
  readonly #settings: Settings;
  #token = { value: '', renewAt: 0 };
  #tokenRequest: { token: Promise<string>; callers: number; stop: AbortController } | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Rejects with a `RecruitmentError`. */
  async getApplication(job: string, candidate: string, limit?: Limit): Promise<Application> {
    const path = `/v1/jobs/${encodeURIComponent(job)}/applications/${encodeURIComponent(candidate)}`;
    const response = await this.#call(path, {}, { lost: false }, limit);
    if (response.status === 200 && isApplication(response.body)) return response.body;
    throw new RecruitmentError(response);
  }

  /**
   * Sets the status of a job that has this version, such as `"7"`. Gives the outcome, whether an
   * attempt was lost, the version in the last response, and for a log what that response was.
   */
  async setJobStatus(job: string, status: JobStatus, version: string, limit?: Limit) {
    const headers = { 'Content-Type': 'application/json', 'If-Match': version };
    const update = { method: 'PATCH', headers, body: JSON.stringify({ status }) };
    const attempts = { lost: false };
    const call = this.#call(`/v1/jobs/${encodeURIComponent(job)}/status`, update, attempts, limit);
    const response = await call.catch((error: RecruitmentError) => error.response);
    const etag = response.headers.get('ETag') ?? '';
    const isNext = etag === `"${Number(version.slice(1, -1)) + 1}"`;
    const outcome = outcomeOf(response, attempts.lost, isNext);
    return { outcome, lost: attempts.lost, version: etag, reason: response.summary };
  }

  #call(path: string, init: RequestInit, attempts: { lost: boolean }, limit: Limit = {}) {
    const { timeoutMs = 30_000 } = limit;
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
    const signal = AbortSignal.any([timeout, limit.signal ?? timeout]);
    let rejected: string | undefined;
    const attempt = async (): Promise<ApiResponse> => {
      const token = await this.#accessToken(signal, rejected);
      const headers = { ...init.headers, Authorization: `Bearer ${token}` };
      const { lost } = attempts;
      attempts.lost = true; // until a response says otherwise
      const url = this.#settings.baseUrl + path;
      const response = await this.#send(url, { ...init, headers }, signal).catch((error) => {
        attempts.lost = lost || !NOT_SENT.includes(error.cause?.code);
        throw error;
      });
      attempts.lost = lost || !settles(response);
      if (response.status !== 401 || rejected !== undefined) return response;
      rejected = token;
      return attempt();
    };
    return repeat(attempt, signal, performance.now() + timeoutMs);
  }

  /** One attempt. A redirect is a response like any other. */
  async #send(url: string, init: RequestInit, caller: AbortSignal): Promise<ApiResponse> {
    const limit = AbortSignal.timeout(this.#settings.attemptMs ?? 10_000);
    const signal = AbortSignal.any([caller, limit]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const decoder = new TextDecoder();
    let [text, size] = ['', 0];
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      size += chunk.length;
      if (size > BODY_LIMIT_BYTES) break; // what is cut off is not JSON
    }
    const { status, headers } = response;
    const type = headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    const json = new Response(/^application\/(problem\+)?json$/.test(type) ? text : '').json();
    const body: Record<string, unknown> = Object(await json.catch(() => undefined));
    const isProblem = type === 'application/problem+json' && 'code' in body;
    const what = body.code ?? body.error ?? headers.get('Location') ?? type;
    return { status, headers, body, isProblem, summary: `${status} ${what}` };
  }

  /** The token, until a minute before it expires or until the API rejects it. */
  async #accessToken(signal: AbortSignal, rejected?: string): Promise<string> {
    const { value, renewAt } = this.#token;
    if (value !== rejected && performance.now() < renewAt) return value;
    const aborted = new Promise<never>((_, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const request = (this.#tokenRequest ??= this.#requestToken());
    request.callers += 1;
    return Promise.race([request.token, aborted]).finally(() => {
      request.callers -= 1;
      if (request.callers === 0) request.stop.abort(); // so that a later call does not wait for it
    });
  }

  #requestToken() {
    const { tokenEndpoint, clientId, clientSecret, scope } = this.#settings;
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    const headers = { Authorization: `Basic ${btoa(credentials)}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
    const stop = new AbortController();
    stop.signal.onabort = () => {
      this.#tokenRequest = undefined;
    };
    const send = () => this.#send(tokenEndpoint, { method: 'POST', headers, body }, stop.signal);
    const token = repeat(send, stop.signal, Number.POSITIVE_INFINITY).then((response) => {
      const { access_token: value, expires_in: seconds = 3600 } = response.body;
      const failure = noResponse(`token endpoint: ${response.summary}`);
      if (response.status !== 200 || typeof value !== 'string') throw new RecruitmentError(failure);
      this.#token = { value, renewAt: performance.now() + Number(seconds) * 1000 - RENEWAL_MS };
      return value;
    });
    token.finally(() => stop.abort()).catch(() => {}); // its callers have the error
    return { token, callers: 0, stop };
  }
}

async function repeat(attempt: () => Promise<ApiResponse>, signal: AbortSignal, end: number) {
  for (let n = 1, pause = FIRST_PAUSE_MS; ; n += 1, pause *= 2) {
    const response = await attempt().catch((error) => {
      if (error instanceof RecruitmentError) throw error;
      return noResponse(error.cause ?? error);
    });
    const { status, headers, isProblem } = response;
    const isTransient = status === 429 || status > 500 || (status === 500 && !isProblem);
    if (n === ATTEMPTS || (status !== 0 && !isTransient)) return response;
    const value = headers.get('Retry-After') ?? '0';
    const after = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
    const wait = Math.max(0, after || 0) + Math.random() * pause;
    if (after > LONGEST_RETRY_AFTER_MS || performance.now() + wait >= end) return response;
    await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) return response;
  }
}

function noResponse(error: unknown): ApiResponse {
  return { status: 0, headers: new Headers(), body: {}, isProblem: false, summary: `${error}` };
}

/** False if the change may have been made, and the response does not say whether it was. */
function settles({ status, body, isProblem }: ApiResponse): boolean {
  if (status === 503) return isProblem && body.outcome_unknown !== true;
  return (status === 200 && body.success === true) || (status >= 400 && status < 500);
}

function outcomeOf({ status, body, isProblem }: ApiResponse, lost: boolean, isNext: boolean) {
  if (status === 200 && body.success === true) return 'set';
  if (status === 404 && isProblem) return 'no such job';
  if (status === 409 && isProblem) return 'not allowed';
  if (status === 412 && isProblem) return lost && isNext ? 'probably set' : 'changed by others';
  return lost ? 'unknown' : 'not set';
}

function isApplication(body: object): body is Application {
  return 'user_id' in body;
}
