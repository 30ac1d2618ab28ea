import { isScopePrefix } from '../contract/scope.ts';
import {
  isTransitionPolicyName,
  type TransitionPolicyName,
  transitionPolicies,
} from '../domain/job.ts';

/** What every function reads of its environment. */
export interface Environment {
  /** Name of the DynamoDB table. */
  tableName: string;
  /** The AWS region, and the address of DynamoDB in it. */
  region: string;
  endpoint: string;
  /** The `iss` of the tokens that are accepted, an OpenID Connect issuer. */
  issuer: string;
  /** Accepted audiences; a token without `aud` must name one of them as its `client_id`. */
  audiences: readonly string[];
  /** Address of the issuer's keys; undefined: asked of the issuer's discovery document. */
  jwksUri: string | undefined;
  /** What stands before the names of the scopes, such as `recruitment/`; empty for nothing. */
  scopePrefix: string;
  /** The claim that holds the tenant; undefined: the deployment serves one tenant. */
  tenantClaim: string | undefined;
  /** Which moves between statuses are allowed. */
  transitionPolicy: TransitionPolicyName;
  /** Whether it runs under `npm start`: the log then has the messages of all errors. */
  isLocal: boolean;
}

/** Variables that the AWS SDK would honour if its endpoint were not given. */
const IGNORED = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'];

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the environment; the only place that does.
 * @throws Error that names the variable which is missing or wrong, and what it should be.
 */
export function readEnvironment(variables: Variables = process.env): Environment {
  for (const name of IGNORED) {
    if (variables[name] === 'true') {
      throw new Error(
        `The environment variable ${name} is not supported: set AWS_ENDPOINT_URL_DYNAMODB to such an endpoint.`,
      );
    }
  }
  const audiences = required(variables, 'AUDIENCE', 'the accepted audiences, separated by commas')
    .split(',')
    .map((audience) => audience.trim())
    .filter((audience) => audience !== '');
  if (audiences.length === 0) throw new Error('AUDIENCE must name at least one audience.');
  return {
    tableName: required(variables, 'TABLE_NAME', 'the name of the DynamoDB table'),
    region: required(variables, 'AWS_REGION', 'the AWS region'),
    endpoint: url(
      'AWS_ENDPOINT_URL_DYNAMODB',
      required(variables, 'AWS_ENDPOINT_URL_DYNAMODB', 'the address of DynamoDB'),
    ),
    issuer: url('ISSUER', required(variables, 'ISSUER', 'the address of the token issuer')),
    audiences,
    jwksUri: variables.JWKS_URI ? url('JWKS_URI', variables.JWKS_URI) : undefined,
    scopePrefix: scopePrefix(variables.SCOPE_PREFIX ?? ''),
    tenantClaim: variables.TENANT_CLAIM || undefined,
    transitionPolicy: transitionPolicy(variables.TRANSITION_POLICY || 'any'),
    // Lambda sets this variable itself, to AWS_Lambda_…, and reserves it: no deployed function can have it.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}

function required(variables: Variables, name: string, meaning: string): string {
  const value = variables[name];
  if (!value) throw new Error(`The environment variable ${name} is missing: set it to ${meaning}.`);
  return value;
}

/** Checks an address but gives it back as written, because issuers are compared to the letter. */
function url(name: string, value: string): string {
  const parsed = URL.parse(value);
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw new Error(`The environment variable ${name} must be an http or https URL.`);
  }
  return value;
}

function scopePrefix(prefix: string): string {
  if (!isScopePrefix(prefix)) {
    throw new Error(
      'The environment variable SCOPE_PREFIX must have only characters that a scope may have.',
    );
  }
  return prefix;
}

function transitionPolicy(name: string): TransitionPolicyName {
  if (!isTransitionPolicyName(name)) {
    const names = Object.keys(transitionPolicies).join(' or ');
    throw new Error(`The environment variable TRANSITION_POLICY must be ${names}.`);
  }
  return name;
}
