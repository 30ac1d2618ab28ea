/** The error table of the service as its documentation has it: by code, the status and the title. */
const table = {
  invalid_path: [400, 'The path holds an invalid identifier.'],
  malformed_json: [400, 'The body is not JSON.'],
  invalid_body: [400, 'The body does not match the schema.'],
  unauthenticated: [401, 'An access token is required.'],
  invalid_token: [401, 'The access token is not valid.'],
  insufficient_scope: [403, 'The access token lacks the scope.'],
  no_tenant: [403, 'The access token names no tenant.'],
  job_not_found: [404, 'The job does not exist.'],
  application_not_found: [404, 'The application does not exist.'],
  transition_refused: [409, 'The job may not move to this status.'],
  version_mismatch: [412, 'The job has changed.'],
  body_too_large: [413, 'The body is too large.'],
  unsupported_media_type: [415, 'The body must be application/json.'],
  unavailable: [503, 'The service is unavailable for the moment.'],
  internal: [500, 'The service failed.'],
} as const;

/** The whole body of a refusal of the request `request-1`: RFC 9457 and the service's extensions. */
export function problemBody(
  code: keyof typeof table,
  detail: string,
  extensions: Readonly<Record<string, unknown>> = {},
) {
  const [status, title] = table[code];
  return {
    type: `urn:problem-type:recruitment:${code}`,
    title,
    status,
    detail,
    code,
    request_id: 'request-1',
    ...extensions,
  };
}
