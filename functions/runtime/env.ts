import {
  type FunctionVariables,
  isScopePrefix,
  namesIn,
  optionalVariables,
  requiredVariables,
  TIMEOUT_S,
} from '../contract/environment.ts';
import { transitionPolicies } from '../domain/job.ts';
import { namesOf } from '../domain/record.ts';

/** Those that Lambda sets are named as well. */
type Name =
  | keyof FunctionVariables
  | 'AWS_REGION'
  | 'AWS_EXECUTION_ENV'
  | 'AWS_LAMBDA_FUNCTION_VERSION';
export type Variables = Readonly<Partial<Record<Name, string | undefined>>>;

const meanings = { ...requiredVariables, ...optionalVariables, AWS_REGION: 'the AWS region' };

/**
 * Reads and checks the environment; the only place that does.
 * @throws Error that names the variable which is missing or wrong, and what it should be.
 */
export function readEnvironment(variables: Variables = process.env) {
  /** What a variable says; `fallback` if it is absent or empty. */
  function read<T>(
    name: keyof typeof meanings,
    parse: (value: string) => T | undefined,
    fallback?: T,
  ): T {
    const value = variables[name];
    const parsed = value ? parse(value) : fallback;
    if (parsed !== undefined) return parsed;
    const fault = value ? 'wrong' : 'missing';
    throw new Error(`The environment variable ${name} is ${fault}: set it to ${meanings[name]}.`);
  }
  return {
    tableName: read('TABLE_NAME', String),
    region: read('AWS_REGION', String),
    endpoint: read('AWS_ENDPOINT_URL_DYNAMODB', url),
    issuer: read('ISSUER', url),
    /** A token without `aud` must name one of them as its `client_id`. */
    audiences: read('AUDIENCE', audiences),
    jwksUri: variables.JWKS_URI ? read('JWKS_URI', url) : undefined,
    /** Empty for nothing. */
    scopePrefix: read('SCOPE_PREFIX', scopePrefix, ''),
    tenantClaim: variables.TENANT_CLAIM || undefined,
    transitionPolicy: read('TRANSITION_POLICY', transitionPolicy, 'any'),
    /** The bucket of the candidates' files, and the address under which its keys lie. */
    files:
      variables.FILES_BUCKET || variables.FILES_URL
        ? { bucket: read('FILES_BUCKET', String), url: read('FILES_URL', url) }
        : undefined,
    /** The function's time-out, in milliseconds. */
    timeoutMs: 1000 * read('TIMEOUT_S', seconds, TIMEOUT_S),
    functionVersion: variables.AWS_LAMBDA_FUNCTION_VERSION ?? '$LATEST',
    /** Whether it runs under `npm start`: the log then has the messages of all errors. */
    // Lambda sets this variable itself, to AWS_Lambda_…, and reserves it: no deployed function can have it.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}

/** What every function reads of its environment. */
export type Environment = ReturnType<typeof readEnvironment>;

/** An address as it is written, because issuers are compared to the letter. */
const url = (value: string) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined;

const audiences = (list: string) => (namesIn(list).length > 0 ? namesIn(list) : undefined);

const scopePrefix = (value: string) => (isScopePrefix(value) ? value : undefined);

const transitionPolicy = (value: string) =>
  namesOf(transitionPolicies).find((name) => name === value);

const seconds = (value: string) => (Number(value) > 0 ? Number(value) : undefined);
