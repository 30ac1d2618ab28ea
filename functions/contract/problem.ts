import { IDENTIFIER_RULE } from '../domain/identifier.ts';
import type { JobStatus } from '../domain/job.ts';
import { BODY_MEDIA_TYPE, bearerChallenge, entityTag } from './headers.ts';

export const MAX_BODY_BYTES = 1024;
export const MAX_TOKEN_BYTES = 8192;
const RETRY_AFTER_S = 1;

/** RFC 9457 problems. The codes are ours: the specification has none (`docs/spec.md`, section 7). */
export const problemDefinitions = {
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
  version_mismatch: { status: 412, title: 'If-Match does not match the job.' },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be application/json without a content coding.',
  },
  unavailable: { status: 503, title: 'The service is temporarily unavailable.' },
  stored_data_invalid: { status: 500, title: 'The stored data is invalid.' },
  internal: { status: 500, title: 'An internal error occurred.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemDefinitions;

export const commonProblems = [
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'no_tenant',
  'internal',
  'unavailable',
] as const satisfies ProblemCode[];

export type ProblemHeader = 'WWW-Authenticate' | 'ETag' | 'Accept-Patch' | 'Retry-After';

const headersByStatus: Readonly<Partial<Record<number, readonly ProblemHeader[]>>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  409: ['ETag'],
  412: ['ETag'],
  415: ['Accept-Patch'],
  503: ['Retry-After'],
};

export const problemHeaders = (code: ProblemCode, method: Method): readonly ProblemHeader[] =>
  (headersByStatus[problemDefinitions[code].status] ?? []).filter(
    (name) => name !== 'Accept-Patch' || method === 'PATCH',
  );

export interface ProblemExtensions {
  errors?: { pointer: string; message: string }[];
  current_status?: JobStatus;
  allowed_transitions?: readonly JobStatus[];
  outcome_unknown?: true;
}

interface ProblemOptions {
  /** `Accept-Encoding` only on a 415 that refuses a content coding (RFC 9110, section 12.5.3). */
  headers?: Readonly<Partial<Record<ProblemHeader | 'Accept-Encoding', string>>>;
  extensions?: ProblemExtensions;
  /** Logged instead of `detail`. Neither may contain input or personal data. */
  message?: string;
  tokenFault?: TokenFault;
  tokenIssuer?: string | undefined;
  cause?: unknown;
}

/** Error with a documented response. The `problemResponses` middleware turns all other errors into problems. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly options: ProblemOptions;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(options.message ?? detail, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.options = options;
  }
}

export const PROBLEM_URI = 'urn:problem-type:recruitment:';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function problemDocument(problem: Problem, method: Method, requestId: string) {
  const { code, detail, options } = problem;
  const { status, title } = problemDefinitions[code];
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

export const invalidRequest = (
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

const lacks = (claim: string) => `The access token lacks the claim \`${claim}\`.`;
const isInvalid = (claim: string) =>
  `The access token's claim \`${claim}\` has a value that is not allowed.`;

/** The keys are for the log, the texts for the client. */
export const tokenFaults = {
  several:
    'Send one Authorization header with one token: the request has several, or a comma in it.',
  too_long: `The access token is longer than ${MAX_TOKEN_BYTES} bytes.`,
  not_signed_jwt:
    'The access token is not a signed JWT. It may be opaque, encrypted or cut off: let the issuer issue signed JWTs.',
  other_issuer:
    'Another issuer issued the access token: its `iss` is not exactly the issuer that this API accepts. Amazon Cognito has two: https://cognito-idp.… and https://issuer-cognito-idp.….',
  other_audience: 'The access token was issued for another audience. Request a token for this API.',
  other_algorithm: 'The access token must be signed with RS256 or ES256.',
  other_type: 'The bearer token is not an access token: see its `typ` or `token_use`.',
  id_token: 'The bearer token is an ID token. Send the access token.',
  unsupported_extension:
    'The access token requires an extension (`crit`) that this API does not support.',
  no_accepted_key: 'The issuer has no usable key for RS256 or ES256, so a retry will not help.',
  unknown_key: 'The issuer publishes no key for the `kid` and the `alg` of the access token.',
  bad_signature: 'The signature of the access token is invalid. Send it exactly as it was issued.',
  expired: 'The access token has expired. Request a new token.',
  not_yet_valid:
    'The access token is not valid yet: its `nbf` or `iat` is in the future. Check the clocks.',
  missing_iss: lacks('iss'),
  missing_aud: 'The access token names no audience: it lacks `aud`, and also `client_id`.',
  missing_exp: lacks('exp'),
  missing_iat: lacks('iat'),
  missing_client:
    'The bearer token has no scope (`scope`, `scp`) and names no client (`client_id`, `azp`, `appid`, `cid`), so it may be an ID token. Send an access token.',
  missing_sub: 'The access token has neither `sub` nor a claim that names its client.',
  invalid_exp: isInvalid('exp'),
  invalid_iat: isInvalid('iat'),
  invalid_nbf: isInvalid('nbf'),
  invalid_sub: isInvalid('sub'),
  bound:
    'The access token is bound to a key or certificate, and the request does not prove possession of it.',
} as const;

export type TokenFault = keyof typeof tokenFaults;

export const isTokenFault = (word: string): word is TokenFault => Object.hasOwn(tokenFaults, word);

export const invalidToken = (
  fault: TokenFault,
  log: { issuer?: string | undefined; cause?: unknown } = {},
) =>
  new Problem('invalid_token', tokenFaults[fault], {
    headers: challenge('invalid_token'),
    tokenFault: fault,
    tokenIssuer: log.issuer,
    cause: log.cause,
  });

export const insufficientScope = (scope: string, claims: readonly string[]) => {
  const places = claims.map((claim) => `\`${claim}\``).join(' or, without it, ');
  return new Problem(
    'insufficient_scope',
    `The access token must have the \`${scope}\` scope in its claim ${places}.`,
    { headers: challenge('insufficient_scope', scope) },
  );
};

/**
 * RFC 6750, section 3.1, has no error code for a missing tenant; `insufficient_scope` is the nearest.
 * @param isPresent true if the token has the claim, but its value cannot name a tenant.
 */
export const noTenant = (claim: string, isPresent = false) =>
  new Problem(
    'no_tenant',
    isPresent
      ? `The access token's claim \`${claim}\` does not name a tenant: it must be a string of ${IDENTIFIER_RULE}.`
      : `The access token must name a tenant in its claim \`${claim}\`.`,
    { headers: challenge('insufficient_scope') },
  );

export const jobNotFound = () => new Problem('job_not_found', 'There is no job with this id.');

export const applicationNotFound = () =>
  new Problem('application_not_found', 'The candidate has no application to this job.');

export const transitionRefused = (
  version: number,
  from: JobStatus,
  to: JobStatus,
  allowed: readonly JobStatus[],
) =>
  new Problem('transition_refused', `A job with the status ${from} cannot move to ${to}.`, {
    headers: { ETag: entityTag(version) },
    extensions: { current_status: from, allowed_transitions: allowed },
  });

export const versionMismatch = (version: number, status: JobStatus) =>
  new Problem(
    'version_mismatch',
    'The `ETag` header has the current version, with the quotation marks that `If-Match` needs.',
    { headers: { ETag: entityTag(version) }, extensions: { current_status: status } },
  );

export const bodyTooLarge = () =>
  new Problem('body_too_large', `Send a body of at most ${MAX_BODY_BYTES} bytes.`);

const acceptPatch = (method: Method) =>
  problemHeaders('unsupported_media_type', method).includes('Accept-Patch') && {
    'Accept-Patch': BODY_MEDIA_TYPE,
  };

export const unsupportedMediaType = (method: Method) =>
  new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.', {
    headers: { ...acceptPatch(method) },
  });

export const unsupportedCoding = (method: Method) =>
  new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.', {
    headers: { ...acceptPatch(method), 'Accept-Encoding': 'identity' },
  });

const outages = {
  database: 'The database is unavailable. Retry the request later.',
  issuer: "The token issuer's keys are unavailable. Retry the request later.",
  wrongDiscovery:
    "The token issuer's discovery document names another issuer, so a retry will not help. Give the " +
    '`request_id` to the operator.',
  contention: 'Other requests are changing this job. Retry the request.',
  timeLimit: 'The request took too long. Retry it later.',
  outcomeUnknown:
    'The change may or may not have been made. Retry with the same `If-Match`; without one, get the version first.',
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

export const wrongDiscovery = (named = 'an address that is not plain https') =>
  new Problem('unavailable', outages.wrongDiscovery, {
    message:
      `The discovery document names another issuer: ${named}. Correct the setting \`issuer\`, or ` +
      'set `jwksUri`.',
  });

export const isWrongDiscovery = (error: unknown): boolean =>
  error instanceof Problem && error.detail === outages.wrongDiscovery;

/** @param message for the log. Must not quote the response. */
export const unusableIssuer = (message: string) =>
  new Problem('unavailable', outages.issuer, { message });

/** @param fault for the log. Names the attribute, but must not quote its value. */
export const storedDataInvalid = (item: 'application' | 'job', fault: string) =>
  new Problem(
    'stored_data_invalid',
    'A retry will not help. Give the `request_id` to the operator.',
    { message: `A stored ${item} is invalid: ${fault}.` },
  );

export const internal = (message: string, cause?: unknown) =>
  new Problem(
    'internal',
    'Give the `request_id` to the operator. A retry will probably fail too.',
    { message, cause },
  );
