/** The environment variables of the functions: the stack writes them, `runtime/env.ts` reads them. */
export interface FunctionVariables {
  /** Name of the DynamoDB table. */
  TABLE_NAME: string;
  /** The address of DynamoDB. */
  AWS_ENDPOINT_URL_DYNAMODB: string;
  /** The `iss` of the tokens that are accepted, an OpenID Connect issuer. */
  ISSUER: string;
  /** Accepted audiences, separated by commas. */
  AUDIENCE: string;
  /** Address of the issuer's keys; without it, asked of the issuer's discovery document. */
  JWKS_URI?: string;
  /** What stands before the names of the scopes, such as `recruitment/`. */
  SCOPE_PREFIX?: string;
  /** The claim that holds the tenant; without it, the deployment serves one tenant. */
  TENANT_CLAIM?: string;
  /** Which moves between statuses are allowed: `any`, or another policy. */
  TRANSITION_POLICY?: string;
  /** The bucket of the files that are given out as links; with `FILES_URL`. */
  FILES_BUCKET?: string;
  /** The address under which the keys of the bucket lie. */
  FILES_URL?: string;
  /** The function's time-out in seconds, if it is not `TIMEOUT_S`, as in a debugger. */
  TIMEOUT_S?: string;
}

/** The time-out of the functions, in seconds. Every request has its response at least 500 ms before it. */
export const TIMEOUT_S = 6;

/** The audiences that `AUDIENCE` names. */
export const audiencesIn = (list: string): string[] =>
  list
    .split(',')
    .map((audience) => audience.trim())
    .filter((audience) => audience !== '');
