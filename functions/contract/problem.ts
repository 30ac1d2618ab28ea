import type { JobStatus } from '../domain/job.ts';
import { BODY_MEDIA_TYPE, bearerChallenge, entityTag } from './headers.ts';

/** The maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024;
/** The maximum size of an access token, in bytes. */
export const MAX_TOKEN_BYTES = 8192;
/** The default value of the `Retry-After` header, in seconds. */
const RETRY_AFTER_S = 1;

/**
 * All problem codes, each with its HTTP status and title. A problem is an error response in the format of RFC 9457. The
 * specification does not define the codes (`docs/spec.md`, section 7). The functions below create the problems.
 */
export const problemTypes = {
  invalid_path: { status: 400, title: 'The path contains an invalid identifier.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  unauthenticated: { status: 401, title: 'An access token is required.' },
  invalid_token: { status: 401, title: 'The access token is invalid.' },
  insufficient_scope: { status: 403, title: 'The access token lacks the required scope.' },
  no_tenant: { status: 403, title: 'The access token does not name a tenant.' },
  job_not_found: { status: 404, title: 'The job does not exist.' },
  application_not_found: { status: 404, title: 'The application does not exist.' },
  transition_refused: { status: 409, title: 'The job cannot move to this status.' },
  version_mismatch: { status: 412, title: 'The job has changed.' },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: {
    status: 415,
    title: 'The media type of the body must be application/json.',
  },
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

/** The headers that a problem has because of its HTTP status, in addition to the headers of every response. */
const headersByStatus: Readonly<Partial<Record<number, readonly ProblemHeader[]>>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  412: ['ETag'],
  415: ['Accept-Patch'],
  503: ['Retry-After'],
};

/**
 * Returns the headers that a problem has in addition to the headers of every response. Only responses to PATCH requests
 * have `Accept-Patch`.
 */
export const headersOf = (code: ProblemCode, method: Method): readonly ProblemHeader[] =>
  (headersByStatus[problemTypes[code].status] ?? []).filter(
    (name) => name !== 'Accept-Patch' || method === 'PATCH',
  );

/** The extension members that some problems have (RFC 9457, section 3.2). */
export interface ProblemExtensions {
  /**
   * The invalid members of the request. `pointer` is the JSON Pointer (RFC 6901) to the member. `message` says what the
   * member must be.
   */
  errors?: { pointer: string; message: string }[];
  current_status?: JobStatus;
  allowed_transitions?: readonly JobStatus[];
  outcome_unknown?: true;
}

interface ProblemOptions {
  headers?: Readonly<Partial<Record<ProblemHeader, string>>>;
  extensions?: ProblemExtensions;
  /**
   * The text for the log. If `message` is undefined, the log has the `detail`. Neither text may contain input or
   * personal data.
   */
  message?: string;
  /** Why a token was refused, for the log. */
  tokenFault?: TokenFault;
  /** The error that caused the problem. The log shows the name and the stack of this error. */
  cause?: unknown;
}

/**
 * An error with a documented response. The `problems` middleware turns every other error into the problem `internal`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** An explanation for the client: what happened to this request, and what to do. */
  readonly detail: string;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(options.message ?? detail, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.options = options;
  }
}

/**
 * The prefix of a problem's `type`. A `type` is a stable URI: this prefix followed by the problem's code (RFC 9457,
 * section 3.1.1).
 */
export const PROBLEM_URI = 'urn:problem-type:recruitment:';

/** The HTTP methods that an operation may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Returns the response body of a problem. Adds "Nothing was changed." to the `detail` of a 503 response, except for GET
 * requests and for changes whose outcome is unknown.
 */
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
) => new Problem(code, 'Correct the members that `errors` points to.', { extensions: { errors } });

export const malformedJson = () =>
  new Problem('malformed_json', 'Send the body as JSON, encoded in UTF-8.');

const challenge = (...parameters: Parameters<typeof bearerChallenge>) => ({
  'WWW-Authenticate': bearerChallenge(...parameters),
});

export const unauthenticated = () =>
  new Problem('unauthenticated', 'Send the header Authorization: Bearer <access token>.', {
    headers: challenge(),
  });

/** The faults of a bearer token, each with the `detail` of its problem. */
export const tokenFaults = {
  expired: 'The access token has expired. Request a new token.',
  unverified:
    'The access token could not be verified as a token from the expected issuer, or is not valid yet.',
  incomplete: 'The access token lacks a required claim.',
  otherType: 'The bearer token is not an access token.',
  otherAudience: 'The access token was issued for another audience.',
  invalidExpiry: "The access token's expiry (`exp`) is not a valid date.",
  invalidSubject: "The access token's subject (`sub`) is not a valid identifier.",
  bound:
    'The access token is bound to a key or certificate, and the request does not prove possession of ' +
    'this key or certificate.',
  tooLong: `The access token is longer than ${MAX_TOKEN_BYTES} bytes.`,
} as const;

export type TokenFault = keyof typeof tokenFaults;

export const invalidToken = (fault: TokenFault, cause?: unknown) =>
  new Problem('invalid_token', tokenFaults[fault], {
    headers: challenge('invalid_token'),
    tokenFault: fault,
    cause,
  });

export const insufficientScope = (scope: string) =>
  new Problem('insufficient_scope', `The access token must have the \`${scope}\` scope.`, {
    headers: challenge('insufficient_scope', scope),
  });

/**
 * Creates the problem `no_tenant`. RFC 6750, section 3.1, has no error code for a missing tenant. The challenge is
 * therefore the same as for a missing scope.
 */
export const noTenant = (scope: string) =>
  new Problem('no_tenant', 'The access token must name a tenant.', {
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
  new Problem(
    'version_mismatch',
    '`If-Match` does not list the current version. The `ETag` header has the current version.',
    {
      headers: { ETag: entityTag(current) },
    },
  );

export const bodyTooLarge = () =>
  new Problem('body_too_large', `Send a body of at most ${MAX_BODY_BYTES} bytes.`);

export const unsupportedMediaType = (method: Method) =>
  new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.', {
    ...(headersOf('unsupported_media_type', method).includes('Accept-Patch') && {
      headers: { 'Accept-Patch': BODY_MEDIA_TYPE },
    }),
  });

const outages = {
  database: 'The database is unavailable. Retry the request later.',
  issuer: "The token issuer's keys are unavailable. Retry the request later.",
  contention: 'Other requests are changing this job. Retry the request.',
  timeLimit: 'The request took too long. Retry the request later.',
  /** The detail for a status change that DynamoDB may have made, or may still make. */
  outcomeUnknown: 'The status may or may not have been set. Retry the request.',
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

/**
 * Creates the problem `stored_data_invalid`.
 * @param fault the faulty attribute and the kind of fault, without any stored value.
 */
export const storedDataInvalid = (item: 'application' | 'job', fault: string) =>
  new Problem(
    'stored_data_invalid',
    'A retry will not help. Give the `request_id` to the operator.',
    { message: `A stored ${item} is invalid: ${fault}.` },
  );

/** Creates the problem `internal`. The log has the message and the cause. The response has neither of them. */
export const internal = (message: string, cause?: unknown) =>
  new Problem(
    'internal',
    'Give the `request_id` to the operator. A retry will probably fail too.',
    { message, cause },
  );
