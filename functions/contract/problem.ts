import type { JobStatus } from '../domain/job.ts';

/** The most that a request body may have, in bytes. */
export const BODY_LIMIT_BYTES = 1024;
/** The most that an access token may have, in bytes. */
export const TOKEN_LIMIT_BYTES = 8192;
/** The seconds in `Retry-After`, unless a problem has its own. */
export const RETRY_AFTER_S = 1;

export type ProblemHeader = 'WWW-Authenticate' | 'ETag' | 'Accept-Patch' | 'Retry-After';

interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** What a problem says of one occurrence: one text, one with parameters, or one of several. */
  readonly detail: string | ((...parameters: never[]) => string) | Readonly<Record<string, string>>;
  /** The headers beside those of every response. */
  readonly headers?: readonly ProblemHeader[];
}

/**
 * Everything that can go wrong with a request: the closed list of error codes, which section 7 of the
 * specification leaves open, each with its HTTP status, title and detail (RFC 9457, section 3.1).
 */
export const problemTypes = {
  invalid_path: {
    status: 400,
    title: 'The path contains an invalid identifier.',
    detail: 'Correct the identifiers that `errors` points to.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    detail: 'Send the body as JSON, encoded in UTF-8.',
  },
  invalid_body: {
    status: 400,
    title: 'The body does not match the schema.',
    detail: 'Correct the members that `errors` points to.',
  },
  unauthenticated: {
    status: 401,
    headers: ['WWW-Authenticate'],
    title: 'An access token is required.',
    detail: 'Send the header Authorization: Bearer <access token>.',
  },
  invalid_token: {
    status: 401,
    headers: ['WWW-Authenticate'],
    title: 'The access token is not valid.',
    detail: {
      expired: 'The access token has expired. Request a new one.',
      unverified:
        'The access token cannot be verified as a token of the issuer, or is not valid yet.',
      incomplete: 'The access token lacks a required claim.',
      otherType: 'The token is not an access token.',
      otherAudience: 'The access token is for another audience.',
      invalidExpiry: 'The expiry of the access token is not a valid date.',
      invalidSubject: 'The subject of the access token is not a valid identifier.',
      tooLong: `The access token is longer than ${TOKEN_LIMIT_BYTES} bytes.`,
    },
  },
  insufficient_scope: {
    status: 403,
    headers: ['WWW-Authenticate'],
    title: 'The access token lacks the required scope.',
    detail: (scope: string) => `The access token must have the scope ${scope}.`,
  },
  no_tenant: {
    status: 403,
    headers: ['WWW-Authenticate'],
    title: 'The access token does not name a tenant.',
    detail: 'The access token must name the tenant that it acts in.',
  },
  job_not_found: {
    status: 404,
    title: 'The job does not exist.',
    detail: 'There is no job with this id.',
  },
  application_not_found: {
    status: 404,
    title: 'The application does not exist.',
    detail: 'The candidate has no application to this job.',
  },
  transition_refused: {
    status: 409,
    title: 'The job cannot move to this status.',
    detail: (from: JobStatus, to: JobStatus) =>
      `A job with the status ${from} cannot move to ${to}.`,
  },
  version_mismatch: {
    status: 412,
    headers: ['ETag'],
    title: 'The job has changed.',
    detail: 'If-Match does not name the current version of the job, which is in ETag.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large.',
    detail: `Send at most ${BODY_LIMIT_BYTES} bytes.`,
  },
  unsupported_media_type: {
    status: 415,
    headers: ['Accept-Patch'],
    title: 'The body must be application/json.',
    detail: 'Send the header Content-Type: application/json.',
  },
  unavailable: {
    status: 503,
    headers: ['Retry-After'],
    title: 'The service is temporarily unavailable.',
    detail: {
      database: 'The database is not available. Try again later.',
      issuer: 'The token issuer does not answer. Try again later.',
      contention: 'Other requests are changing this job. Try again.',
      outcomeUnknown: 'It is not known whether the status was set. Try again.',
      timeLimit: 'The service ran out of time. Try again later.',
    },
  },
  internal: {
    status: 500,
    title: 'The service failed.',
    detail: 'The failure is logged under this request_id.',
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemCode = keyof typeof problemTypes;

/** The problems that every operation may return. */
export const commonProblems = [
  'invalid_path',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'no_tenant',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

/** The headers of a problem, beside those of every response. */
export function headersOf(code: ProblemCode): readonly ProblemHeader[] {
  const { headers = [] }: ProblemType = problemTypes[code];
  return headers;
}

/** What stands before a code in its stable URI, a problem's `type` (RFC 9457, section 3.1.1). */
export const PROBLEM_URI = 'urn:problem-type:recruitment:';

/** The members that some problems carry beside the standard ones (RFC 9457, section 3.2). */
export interface ProblemExtensions {
  /** The members of the request that are wrong: a JSON Pointer (RFC 6901) to each, and what is allowed. */
  errors?: { pointer: string; message: string }[];
  current_status?: JobStatus;
  allowed_transitions?: readonly JobStatus[];
  outcome_unknown?: true;
}

export interface ProblemOptions {
  /**
   * What happened this time and what to do: its text, or its key in `problemTypes`. It reaches the
   * client and the log, so it never holds input or personal data. That of `internal` is only logged.
   */
  detail?: string;
  extensions?: ProblemExtensions;
  /** The job's current version, if the caller's is stale. */
  version?: number;
  /** The seconds in `Retry-After`, if not `RETRY_AFTER_S`. */
  retryAfter?: number;
  /** Why the credentials are rejected, in the words of RFC 6750, section 3. */
  challenge?: string;
  /** The error behind it, for the log, which has its name and stack. */
  cause?: unknown;
}

/** The codes whose detail is always the same. */
export type ConstantCode = {
  [C in ProblemCode]: (typeof problemTypes)[C]['detail'] extends string ? C : never;
}[ProblemCode];
type VariableCode = Exclude<ProblemCode, ConstantCode>;
/** The key of one of the details of a code; if it has parameters, the text. */
export type Detail<
  C extends VariableCode,
  D = (typeof problemTypes)[C]['detail'],
> = keyof D extends never ? string : keyof D;

/** What a problem must be given for its detail and its headers. */
type Needed<C extends ProblemCode, T = (typeof problemTypes)[C]> = (C extends VariableCode
  ? { detail: Detail<C> }
  : unknown) &
  (T extends { headers: readonly ['WWW-Authenticate'] } ? { challenge: string } : unknown) &
  (T extends { headers: readonly ['ETag'] } ? { version: number } : unknown);

type ProblemParameters = {
  [C in ProblemCode]: unknown extends Needed<C>
    ? [code: C, options?: ProblemOptions]
    : [code: C, options: ProblemOptions & Needed<C>];
}[ProblemCode];

/** The one error class of the service. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly options: ProblemOptions;

  constructor(...[code, options = {}]: ProblemParameters) {
    const { detail }: ProblemType = problemTypes[code];
    const given = options.detail ?? String(detail);
    super(typeof detail === 'object' ? detail[given] : given, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}

/** What a client reads of a problem: of a change that is sure not to have been made, it says so. */
export function problemDetail(problem: Problem, method: 'GET' | 'PATCH'): string {
  const { code, message, options } = problem;
  if (code === 'internal') return problemTypes.internal.detail;
  const isSure = code === 'unavailable' && method !== 'GET' && !options.extensions?.outcome_unknown;
  return isSure ? `${message} Nothing was changed.` : message;
}
