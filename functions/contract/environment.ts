/**
 * The environment variables of the Lambda functions. The stack sets the variables, except `TIMEOUT_S`. `runtime/env.ts`
 * reads the variables.
 */
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
  /** Another timeout than the constant `TIMEOUT_S`, in seconds. Only `npm start` and tests set this variable. */
  TIMEOUT_S?: string;
}

/**
 * The timeout of each Lambda function, in seconds. Every request gets its response at least 500 ms before this timeout.
 */
export const TIMEOUT_S = 6;

/** Returns the names in a comma-separated list, such as the value of `AUDIENCE`. */
export const namesIn = (list = ''): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/**
 * Returns whether `prefix` contains only characters that a scope may contain (RFC 6749, section 3.3): printable ASCII
 * except space, `"` and `\`.
 */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);
