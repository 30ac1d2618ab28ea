import type { JobStatus } from '../domain/job.ts';
import { BODY_MEDIA_TYPE, bearerChallenge, entityTag } from './headers.ts';

/** The most that a request body may have, in bytes. */
export const BODY_LIMIT_BYTES = 1024;
/** The most that an access token may have, in bytes. */
export const TOKEN_LIMIT_BYTES = 8192;
/** The seconds in `Retry-After`, unless a problem has its own. */
const RETRY_AFTER_S = 1;

/**
 * Everything that can go wrong with a request: the closed list of error codes, which section 7 of the
 * specification leaves open, each with its HTTP status and title (RFC 9457, section 3.1). The functions
 * below make the problems.
 */
export const problemTypes = {
  invalid_path: { status: 400, title: 'The path contains an invalid identifier.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  unauthenticated: { status: 401, title: 'An access token is required.' },
  invalid_token: { status: 401, title: 'The access token is not valid.' },
  insufficient_scope: { status: 403, title: 'The access token lacks the required scope.' },
  no_tenant: { status: 403, title: 'The access token does not name a tenant.' },
  job_not_found: { status: 404, title: 'The job does not exist.' },
  application_not_found: { status: 404, title: 'The application does not exist.' },
  transition_refused: { status: 409, title: 'The job cannot move to this status.' },
  version_mismatch: { status: 412, title: 'The job has changed.' },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable.' },
  stored_data_invalid: { status: 500, title: 'The stored data is invalid.' },
  internal: { status: 500, title: 'An internal error occurred.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemTypes;

/** The problems that every operation may return. */
export const commonProblems = [
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'no_tenant',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

export type ProblemHeader = 'WWW-Authenticate' | 'ETag' | 'Accept-Patch' | 'Retry-After';

/** The headers of problems beside those of every response, by their status. */
const headersByStatus: Readonly<Partial<Record<number, readonly ProblemHeader[]>>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  412: ['ETag'],
  415: ['Accept-Patch'],
  503: ['Retry-After'],
};

/** Returns the headers of a problem besides the headers of every response. `Accept-Patch` is only for PATCH. */
export const headersOf = (code: ProblemCode, method: Method): readonly ProblemHeader[] =>
  (headersByStatus[problemTypes[code].status] ?? []).filter(
    (name) => name !== 'Accept-Patch' || method === 'PATCH',
  );

/** The members that some problems carry beside the standard ones (RFC 9457, section 3.2). */
export interface ProblemExtensions {
  /** The members of the request that are invalid: a JSON Pointer (RFC 6901) to each, and what it must be. */
  errors?: { pointer: string; message: string }[];
  current_status?: JobStatus;
  allowed_transitions?: readonly JobStatus[];
  outcome_unknown?: true;
}

interface ProblemOptions {
  headers?: Readonly<Partial<Record<ProblemHeader, string>>>;
  extensions?: ProblemExtensions;
  /** What the log says in place of the detail. Like that, it never holds input or personal data. */
  message?: string;
  /** The error behind it, for the log, which has its name and stack. */
  cause?: unknown;
}

/** The error that becomes a response: every other one is `internal`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** What happened this time and what to do, for the client. */
  readonly detail: string;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(options.message ?? detail, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.options = options;
  }
}

/** What stands before a code in its stable URI, a problem's `type` (RFC 9457, section 3.1.1). */
export const PROBLEM_URI = 'urn:problem-type:recruitment:';

/** The methods that an operation may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The body of a problem: of a change that is sure not to have been made, it says so. */
export function problemDocument(problem: Problem, method: Method, requestId: string) {
  const { code, detail, options } = problem;
  const { status, title } = problemTypes[code];
  const isUnchanged =
    code === 'unavailable' && method !== 'GET' && !options.extensions?.outcome_unknown;
  return {
    type: PROBLEM_URI + code,
    title,
    status,
    detail: isUnchanged ? `${detail} Nothing was changed.` : detail,
    code,
    request_id: requestId,
    ...options.extensions,
  };
}

export const invalidMembers = (
  code: 'invalid_path' | 'invalid_body',
  errors: NonNullable<ProblemExtensions['errors']>,
) => new Problem(code, 'Correct what `errors` points to.', { extensions: { errors } });

export const malformedJson = () =>
  new Problem('malformed_json', 'Send the body as JSON, encoded in UTF-8.');

const challenge = (...parameters: Parameters<typeof bearerChallenge>) => ({
  'WWW-Authenticate': bearerChallenge(...parameters),
});

export const unauthenticated = () =>
  new Problem('unauthenticated', 'Send the header Authorization: Bearer <access token>.', {
    headers: challenge(),
  });

const tokenFaults = {
  expired: 'The access token has expired. Request a new one.',
  unverified: 'The access token cannot be verified as a token of the issuer, or is not valid yet.',
  incomplete: 'The access token lacks a required claim.',
  otherType: 'The token is not an access token.',
  otherAudience: 'The access token is for another audience.',
  invalidExpiry: 'The expiry of the access token is not a valid date.',
  invalidSubject: 'The subject of the access token is not a valid identifier.',
  bound: 'The access token is bound to a key or certificate that the request does not prove.',
  tooLong: `The access token is longer than ${TOKEN_LIMIT_BYTES} bytes.`,
} as const;

export const invalidToken = (fault: keyof typeof tokenFaults, cause?: unknown) =>
  new Problem('invalid_token', tokenFaults[fault], { headers: challenge('invalid_token'), cause });

export const insufficientScope = (scope: string) =>
  new Problem('insufficient_scope', `The access token must have the scope ${scope}.`, {
    headers: challenge('insufficient_scope', scope),
  });

/** RFC 6750, section 3.1, has no error code for a missing tenant: the challenge is that of the scope. */
export const noTenant = (scope: string) =>
  new Problem('no_tenant', 'The access token must name the tenant that it acts in.', {
    headers: challenge('insufficient_scope', scope),
  });

export const jobNotFound = () => new Problem('job_not_found', 'There is no job with this id.');

export const applicationNotFound = () =>
  new Problem('application_not_found', 'The candidate has no application to this job.');

export const transitionRefused = (from: JobStatus, to: JobStatus, allowed: readonly JobStatus[]) =>
  new Problem('transition_refused', `A job with the status ${from} cannot move to ${to}.`, {
    extensions: { current_status: from, allowed_transitions: allowed },
  });

export const versionMismatch = (current: number) =>
  new Problem('version_mismatch', 'If-Match does not name the current version, which is in ETag.', {
    headers: { ETag: entityTag(current) },
  });

export const bodyTooLarge = () =>
  new Problem('body_too_large', `Send at most ${BODY_LIMIT_BYTES} bytes.`);

export const unsupportedMediaType = (method: Method) =>
  new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.', {
    ...(method === 'PATCH' && { headers: { 'Accept-Patch': BODY_MEDIA_TYPE } }),
  });

const outages = {
  database: 'The database is not available. Repeat the request later.',
  issuer: 'The token issuer does not respond. Repeat the request later.',
  contention: 'Other requests are changing this job. Repeat the request.',
  timeLimit: 'There was no result in time. Repeat the request later.',
  /** Of a change that may have been made, or may still be. */
  outcomeUnknown: 'It is not known whether the status was set. Repeat the request.',
} as const;

export const unavailable = (
  reason: keyof typeof outages,
  cause?: unknown,
  retryAfterSeconds = RETRY_AFTER_S,
) =>
  new Problem('unavailable', outages[reason], {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    ...(reason === 'outcomeUnknown' && { extensions: { outcome_unknown: true } }),
    cause,
  });

/** @param fault names its place and its kind, never a value. */
export const storedDataInvalid = (item: 'application' | 'job', fault: string) =>
  new Problem(
    'stored_data_invalid',
    'Repeating the request does not help. Give the request_id to the operator.',
    { message: `A stored ${item} is invalid: ${fault}.` },
  );

/** A fault of the service, of which only the log says more. */
export const internal = (message: string, cause?: unknown) =>
  new Problem(
    'internal',
    'Repeat the request later. If it fails again, give the request_id to the operator.',
    { message, cause },
  );
