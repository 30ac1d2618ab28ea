import type { JobStatus } from '../domain/job.ts';

/**
 * Everything that can go wrong with a request: the closed list of error codes, each with its HTTP
 * status and its title (RFC 9457, section 3.1). The specification's section 7 leaves them open.
 */
export const problemTypes = {
  invalid_path: { status: 400, title: 'The path holds an invalid identifier.' },
  malformed_json: { status: 400, title: 'The body is not JSON.' },
  invalid_body: { status: 400, title: 'The body does not match the schema.' },
  unauthenticated: { status: 401, title: 'An access token is required.' },
  invalid_token: { status: 401, title: 'The access token is not valid.' },
  insufficient_scope: { status: 403, title: 'The access token lacks the scope.' },
  no_tenant: { status: 403, title: 'The access token names no tenant.' },
  job_not_found: { status: 404, title: 'The job does not exist.' },
  application_not_found: { status: 404, title: 'The application does not exist.' },
  transition_refused: { status: 409, title: 'The job may not move to this status.' },
  version_mismatch: { status: 412, title: 'The job has changed.' },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  unavailable: { status: 503, title: 'The service is unavailable for the moment.' },
  internal: { status: 500, title: 'The service failed.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemTypes;

/** What stands before a code in its stable URI, a problem's `type` (RFC 9457, section 3.1.1). */
export const PROBLEM_URI = 'urn:problem-type:recruitment:';

/** A member of the request that is wrong: a JSON Pointer (RFC 6901) to it, and what is allowed. */
export interface InvalidMember {
  pointer: string;
  message: string;
}

/** The members that some problems carry beside the standard ones (RFC 9457, section 3.2). */
export interface ProblemExtensions {
  errors?: InvalidMember[];
  current_status?: JobStatus;
  allowed_transitions?: readonly JobStatus[];
}

/** What a problem knows beside its detail. */
export interface ProblemFacts {
  /** Extension members of the problem document. */
  extensions?: ProblemExtensions;
  /** The job's current version, where the caller's was stale. */
  version?: number;
  /** Seconds after which it is worth trying again. */
  retryAfter?: number;
  /** Why the credentials are refused, in the words of RFC 6750, section 3. */
  challenge?: string;
  /** The error behind it, for the log. */
  cause?: unknown;
}

/**
 * The one error class of the service. `detail` reaches the client and the log, so it says what to do
 * and never holds input or personal data; `cause` reaches the log alone, by its name and stack.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, detail: string, facts: ProblemFacts = {}) {
    super(detail, { cause: facts.cause });
    this.code = code;
    this.facts = facts;
  }
}
