import { transitionPolicies } from '../domain/job.ts';
import { keysOf } from '../domain/own-value.ts';
import { splitList } from '../domain/split-list.ts';

export interface FunctionVariables {
  TABLE_NAME: string;
  AWS_ENDPOINT_URL_DYNAMODB: string;
  ISSUER: string;
  AUDIENCE: string;
  JWKS_URI?: string;
  SCOPE_CLAIMS?: string;
  SCOPE_PREFIX?: string;
  TENANT_CLAIM?: string;
  TRANSITION_POLICY?: string;
  FILES_BUCKET?: string;
  FILES_URL?: string;
  /** Overrides the constant `TIMEOUT_S`. Only `npm start` and tests set it. */
  TIMEOUT_S?: string;
}

/** Lambda's timeout. */
export const TIMEOUT_S = 6;

/** `scope` is from RFC 9068. Entra ID, Okta and Hydra use `scp`. */
export const DEFAULT_SCOPE_CLAIMS = ['scope', 'scp'] as const;

/** Printable ASCII except space, `"` and `\` (RFC 6749, section 3.3). */
export const isScopePrefix = (prefix: string) => /^[\x21\x23-\x5B\x5D-\x7E]*$/.test(prefix);

type Name =
  | keyof FunctionVariables
  | 'AWS_REGION'
  | 'AWS_EXECUTION_ENV'
  | 'AWS_LAMBDA_FUNCTION_VERSION';
export type Variables = Readonly<Partial<Record<Name, string | undefined>>>;

type Parse<T> = (text: string) => T | undefined;

/** @throws Error that names the missing or invalid variable and says how to set it. */
export function readEnvironment(variables: Variables = process.env) {
  function optional<T>(name: Name, meaning: string, parse: Parse<T>): T | undefined {
    const text = variables[name];
    if (!text) return undefined;
    return parse(text) ?? fail(name, 'invalid', meaning);
  }
  const required = <T>(name: Name, meaning: string, parse: Parse<T>): T =>
    optional(name, meaning, parse) ?? fail(name, 'missing', meaning);
  const hasFiles = variables.FILES_BUCKET || variables.FILES_URL;
  return {
    tableName: required('TABLE_NAME', 'the name of the DynamoDB table', String),
    region: required('AWS_REGION', 'the AWS region', String),
    endpoint: required('AWS_ENDPOINT_URL_DYNAMODB', 'the http or https URL of DynamoDB', url),
    issuer: required('ISSUER', 'the http or https URL of the token issuer', url),
    audiences: required('AUDIENCE', 'the accepted audiences, separated by commas', names),
    jwksUri: optional('JWKS_URI', "the http or https URL of the issuer's JWKS", url),
    /** In order of precedence. */
    scopeClaims:
      optional('SCOPE_CLAIMS', 'the claims that hold the scopes, separated by commas', names) ??
      DEFAULT_SCOPE_CLAIMS,
    scopePrefix: optional('SCOPE_PREFIX', 'the prefix of the scope names', scopePrefix) ?? '',
    tenantClaim: optional('TENANT_CLAIM', 'the claim that holds the tenant', String),
    transitionPolicy: optional('TRANSITION_POLICY', POLICIES.join(' or '), policy) ?? 'any',
    files: hasFiles
      ? {
          buckets: required(
            'FILES_BUCKET',
            "the buckets with candidates' files, separated by commas",
            names,
          ),
          url: required(
            'FILES_URL',
            'the http or https URL of a bucket, with * in place of its name',
            url,
          ),
        }
      : undefined,
    timeoutMs: 1000 * (optional('TIMEOUT_S', 'the timeout in seconds', seconds) ?? TIMEOUT_S),
    functionVersion: variables.AWS_LAMBDA_FUNCTION_VERSION ?? '$LATEST',
    // True only under `npm start`, which logs all error messages. In AWS, Lambda sets this variable.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}

export type Environment = ReturnType<typeof readEnvironment>;

function fail(name: Name, fault: 'missing' | 'invalid', meaning: string): never {
  throw new Error(`The environment variable ${name} is ${fault}: set it to ${meaning}.`);
}

/** Returns the text, not the parsed URL, because issuers are compared character by character. */
const url: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined;

const names: Parse<string[]> = (list) => (splitList(list).length > 0 ? splitList(list) : undefined);

const scopePrefix: Parse<string> = (text) => (isScopePrefix(text) ? text : undefined);

const POLICIES = keysOf(transitionPolicies);
const policy: Parse<(typeof POLICIES)[number]> = (text) => POLICIES.find((name) => name === text);

const seconds: Parse<number> = (text) => (Number(text) > 0 ? Number(text) : undefined);
