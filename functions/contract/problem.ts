import type { JobStatus } from '../domain/job.ts';
import { BODY_MEDIA_TYPE, bearerChallenge, entityTag } from './headers.ts';

/** The most that a request body may have, in bytes. */
export const BODY_LIMIT_BYTES = 1024;
/** The most that an access token may have, in bytes. */
export const TOKEN_LIMIT_BYTES = 8192;
/** The seconds in `Retry-After`, unless a problem has its own. */
const RETRY_AFTER_S = 1;

export type ProblemHeader = 'WWW-Authenticate' | 'ETag' | 'Accept-Patch' | 'Retry-After';

interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** The headers beside those of every response. */
  readonly headers?: readonly ProblemHeader[];
}

/**
 * Everything that can go wrong with a request: the closed list of error codes, which section 7 of the
 * specification leaves open, each with its HTTP status and title (RFC 9457, section 3.1). The functions
 * below make the problems.
 */
export const problemTypes = {
  invalid_path: { status: 400, title: 'The path contains an invalid identifier.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  unauthenticated: {
    status: 401,
    headers: ['WWW-Authenticate'],
    title: 'An access token is required.',
  },
  invalid_token: {
    status: 401,
    headers: ['WWW-Authenticate'],
    title: 'The access token is not valid.',
  },
  insufficient_scope: {
    status: 403,
    headers: ['WWW-Authenticate'],
    title: 'The access token lacks the required scope.',
  },
  no_tenant: {
    status: 403,
    headers: ['WWW-Authenticate'],
    title: 'The access token does not name a tenant.',
  },
  job_not_found: { status: 404, title: 'The job does not exist.' },
  application_not_found: { status: 404, title: 'The application does not exist.' },
  transition_refused: { status: 409, title: 'The job cannot move to this status.' },
  version_mismatch: { status: 412, headers: ['ETag'], title: 'The job has changed.' },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: {
    status: 415,
    headers: ['Accept-Patch'],
    title: 'The body must be application/json.',
  },
  unavailable: {
    status: 503,
    headers: ['Retry-After'],
    title: 'The service is temporarily unavailable.',
  },
  stored_data_invalid: { status: 500, title: 'The stored data is invalid.' },
  internal: { status: 500, title: 'The service failed.' },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problemTypes;

/** The problems that every operation may return. */
export const commonProblems = [
  'invalid_path',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'no_tenant',
  'stored_data_invalid',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

/** The headers of a problem, beside those of every response. */
export function headersOf(code: ProblemCode): readonly ProblemHeader[] {
  const { headers = [] }: ProblemType = problemTypes[code];
  return headers;
}

/** A member of the request that is invalid: a JSON Pointer (RFC 6901) to it, and what it must be. */
export interface InvalidMember {
  pointer: string;
  message: string;
}

/** The members that some problems carry beside the standard ones (RFC 9457, section 3.2). */
export interface ProblemExtensions {
  errors?: InvalidMember[];
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

/** The one error class of the service. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** What happened this time and what to do, for the client. */
  readonly detail: string;
  readonly headers: Readonly<Partial<Record<ProblemHeader, string>>>;
  readonly extensions: ProblemExtensions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    const { message = detail, headers = {}, extensions = {}, cause } = options;
    super(message, { cause });
    this.code = code;
    this.detail = detail;
    this.headers = headers;
    this.extensions = extensions;
  }
}

/** What stands before a code in its stable URI, a problem's `type` (RFC 9457, section 3.1.1). */
export const PROBLEM_URI = 'urn:problem-type:recruitment:';

/** The body of a problem: of a change that is sure not to have been made, it says so. */
export function problemDocument(problem: Problem, method: 'GET' | 'PATCH', requestId: string) {
  const { code, detail, extensions } = problem;
  const { status, title } = problemTypes[code];
  const isUnchanged =
    code === 'unavailable' && method !== 'GET' && extensions.outcome_unknown === undefined;
  return {
    type: PROBLEM_URI + code,
    title,
    status,
    detail: isUnchanged ? `${detail} Nothing was changed.` : detail,
    code,
    request_id: requestId,
    ...extensions,
  };
}

export const invalidPath = (errors: InvalidMember[]) =>
  new Problem('invalid_path', 'Correct the identifiers that `errors` points to.', {
    extensions: { errors },
  });

export const malformedJson = () =>
  new Problem('malformed_json', 'Send the body as JSON, encoded in UTF-8.');

export const invalidBody = (errors: InvalidMember[]) =>
  new Problem('invalid_body', 'Correct the members that `errors` points to.', {
    extensions: { errors },
  });

export const unauthenticated = () =>
  new Problem('unauthenticated', 'Send the header Authorization: Bearer <access token>.', {
    headers: { 'WWW-Authenticate': bearerChallenge() },
  });

const tokenFaults = {
  expired: 'The access token has expired. Request a new one.',
  unverified: 'The access token cannot be verified as a token of the issuer, or is not valid yet.',
  incomplete: 'The access token lacks a required claim.',
  otherType: 'The token is not an access token.',
  otherAudience: 'The access token is for another audience.',
  invalidExpiry: 'The expiry of the access token is not a valid date.',
  invalidSubject: 'The subject of the access token is not a valid identifier.',
  tooLong: `The access token is longer than ${TOKEN_LIMIT_BYTES} bytes.`,
} as const;

export const invalidToken = (fault: keyof typeof tokenFaults, cause?: unknown) =>
  new Problem('invalid_token', tokenFaults[fault], {
    headers: { 'WWW-Authenticate': bearerChallenge('invalid_token') },
    cause,
  });

export const insufficientScope = (scope: string) =>
  new Problem('insufficient_scope', `The access token must have the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': bearerChallenge('insufficient_scope', scope) },
  });

/** RFC 6750, section 3.1, has no error code for a missing tenant: the challenge is that of the scope. */
export const noTenant = (scope: string) =>
  new Problem('no_tenant', 'The access token must name the tenant that it acts in.', {
    headers: { 'WWW-Authenticate': bearerChallenge('insufficient_scope', scope) },
  });

export const jobNotFound = () => new Problem('job_not_found', 'There is no job with this id.');

export const applicationNotFound = () =>
  new Problem('application_not_found', 'The candidate has no application to this job.');

export const transitionRefused = (
  from: JobStatus,
  to: JobStatus,
  allowed_transitions: readonly JobStatus[],
) =>
  new Problem('transition_refused', `A job with the status ${from} cannot move to ${to}.`, {
    extensions: { current_status: from, allowed_transitions },
  });

/** @param version the current one. */
export const versionMismatch = (version: number) =>
  new Problem(
    'version_mismatch',
    'If-Match does not name the current version of the job, which is in ETag.',
    { headers: { ETag: entityTag(version) } },
  );

export const bodyTooLarge = () =>
  new Problem('body_too_large', `Send at most ${BODY_LIMIT_BYTES} bytes.`);

export const unsupportedMediaType = () =>
  new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.', {
    headers: { 'Accept-Patch': BODY_MEDIA_TYPE },
  });

const retryAfter = (seconds: number) => ({ 'Retry-After': String(seconds) });

export const databaseUnavailable = (cause?: unknown) =>
  new Problem('unavailable', 'The database is not available. Repeat the request later.', {
    headers: retryAfter(RETRY_AFTER_S),
    cause,
  });

/** @param seconds after which the issuer is asked again. */
export const issuerUnavailable = (seconds: number, cause: unknown) =>
  new Problem('unavailable', 'The token issuer does not respond. Repeat the request later.', {
    headers: retryAfter(seconds),
    cause,
  });

/** The time of the invocation is over. */
export const timeIsUp = (cause?: unknown) =>
  new Problem('unavailable', 'There was no result in time. Repeat the request later.', {
    headers: retryAfter(RETRY_AFTER_S),
    cause,
  });

export const contention = () =>
  new Problem('unavailable', 'Other requests are changing this job. Repeat the request.', {
    headers: retryAfter(RETRY_AFTER_S),
  });

export const outcomeUnknown = (cause?: unknown) =>
  new Problem('unavailable', 'It is not known whether the status was set. Repeat the request.', {
    headers: retryAfter(RETRY_AFTER_S),
    extensions: { outcome_unknown: true },
    cause,
  });

/** @param fault names its place and its kind, never a value. */
export const storedDataInvalid = (item: 'application' | 'job', fault: string) =>
  new Problem(
    'stored_data_invalid',
    'Repeating the request does not help. Give the request_id to the operator.',
    { message: `A stored ${item} is invalid: ${fault}.` },
  );

export const internal = (message: string, cause?: unknown) =>
  new Problem(
    'internal',
    'Repeat the request later. If it fails again, give the request_id to the operator.',
    { message, cause },
  );
