import {
  type FunctionVariables,
  isScopePrefix,
  namesIn,
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

/** Reads a text; undefined if it is invalid. */
type Parse<T> = (text: string) => T | undefined;

/**
 * Reads and checks the environment; the only place that does.
 * @throws Error that names the variable which is missing or invalid, and what it should be.
 */
export function readEnvironment(variables: Variables = process.env) {
  /** The parsed value of a variable; undefined if it is absent or empty. */
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
    /** A token without `aud` must name one of them as its `client_id`. */
    audiences: required('AUDIENCE', 'the accepted audiences, separated by commas', names),
    jwksUri: optional('JWKS_URI', "the http or https URL of the issuer's JWKS", url),
    /** Empty for nothing. */
    scopePrefix: optional('SCOPE_PREFIX', 'the prefix of the scope names', scopePrefix) ?? '',
    tenantClaim: optional('TENANT_CLAIM', 'the claim that holds the tenant', String),
    transitionPolicy: optional('TRANSITION_POLICY', POLICIES.join(' or '), policy) ?? 'any',
    /** The buckets of the candidates' files, and the URL under which the keys of the bucket `*` lie. */
    files: hasFiles
      ? {
          buckets: required('FILES_BUCKET', 'the buckets of the files, with FILES_URL', names),
          url: required('FILES_URL', 'the http or https URL of a bucket *', url),
        }
      : undefined,
    /** The function's timeout, in milliseconds. */
    timeoutMs: 1000 * (optional('TIMEOUT_S', 'the timeout in seconds', seconds) ?? TIMEOUT_S),
    functionVersion: variables.AWS_LAMBDA_FUNCTION_VERSION ?? '$LATEST',
    /** Whether it runs under `npm start`: the log then has the messages of all errors. */
    // Lambda sets this variable itself, to AWS_Lambda_…, and reserves it: no deployed function can have it.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}

/** What every function reads of its environment. */
export type Environment = ReturnType<typeof readEnvironment>;

function fail(name: Name, fault: 'missing' | 'invalid', meaning: string): never {
  throw new Error(`The environment variable ${name} is ${fault}: set it to ${meaning}.`);
}

/** As it is written, because issuers are compared to the letter. */
const url: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined;

const names: Parse<string[]> = (list) => (namesIn(list).length > 0 ? namesIn(list) : undefined);

const scopePrefix: Parse<string> = (text) => (isScopePrefix(text) ? text : undefined);

const POLICIES = namesOf(transitionPolicies);
const policy: Parse<(typeof POLICIES)[number]> = (text) => POLICIES.find((name) => name === text);

const seconds: Parse<number> = (text) => (Number(text) > 0 ? Number(text) : undefined);
