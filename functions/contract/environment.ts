/** The environment variables of the functions: the stack writes them, and `runtime/env.ts` reads them. */
export interface FunctionVariables {
  TABLE_NAME: string;
  AWS_ENDPOINT_URL_DYNAMODB: string;
  ISSUER: string;
  AUDIENCE: string;
  JWKS_URI?: string;
  SCOPE_PREFIX?: string;
  TENANT_CLAIM?: string;
  TRANSITION_POLICY?: string;
  FILES_BUCKET?: string;
  FILES_URL?: string;
  TIMEOUT_S?: string;
}

/** The timeout of the functions, in seconds. Every request has its response at least 500 ms before it. */
export const TIMEOUT_S = 6;

/** The names in a comma-separated list, such as `AUDIENCE`. */
export const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Whether `prefix` has only characters of a scope (RFC 6749, section 3.3): no space, no `"`, no backslash. */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);
