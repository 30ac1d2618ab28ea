/** Set by the stack, except `TIMEOUT_S`. Read by `runtime/env.ts`. */
export interface FunctionVariables {
  TABLE_NAME: string;
  AWS_ENDPOINT_URL_DYNAMODB: string;
  ISSUER: string;
  AUDIENCE: string;
  JWKS_URI?: string;
  /** Comma-separated, in order; `DEFAULT_SCOPE_CLAIMS` without it. */
  SCOPE_CLAIMS?: string;
  SCOPE_PREFIX?: string;
  TENANT_CLAIM?: string;
  TRANSITION_POLICY?: string;
  FILES_BUCKET?: string;
  FILES_URL?: string;
  /** In seconds, in place of the constant `TIMEOUT_S`. Only `npm start` and tests set it. */
  TIMEOUT_S?: string;
}

/** In seconds. Responses are ready at least 500 ms earlier. */
export const TIMEOUT_S = 6;

/** The claims that may hold scopes: `scope` (RFC 9068), or else `scp` (Entra ID, Okta, Hydra). */
export const DEFAULT_SCOPE_CLAIMS = ['scope', 'scp'] as const;

/** The names in a comma-separated list, such as `AUDIENCE`. */
export const splitList = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Printable ASCII except space, `"` and `\` (RFC 6749, section 3.3). */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);
