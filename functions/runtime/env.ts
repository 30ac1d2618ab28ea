import { audiencesIn, type FunctionVariables, TIMEOUT_S } from '../contract/environment.ts';
import { isScopePrefix } from '../contract/scope.ts';
import {
  isTransitionPolicyName,
  type TransitionPolicyName,
  transitionPolicies,
} from '../domain/job.ts';

/** What every function reads of its environment. */
export interface Environment {
  tableName: string;
  region: string;
  endpoint: string;
  issuer: string;
  /** A token without `aud` must name one of them as its `client_id`. */
  audiences: readonly string[];
  jwksUri: string | undefined;
  /** Empty for nothing. */
  scopePrefix: string;
  tenantClaim: string | undefined;
  transitionPolicy: TransitionPolicyName;
  /** The bucket of the candidates' files, and the address under which its keys lie. */
  files: { bucket: string; url: string } | undefined;
  /** The function's time-out, in milliseconds. */
  timeoutMs: number;
  /** Whether it runs under `npm start`: the log then has the messages of all errors. */
  isLocal: boolean;
}

/** Variables that the AWS SDK would honour if its endpoint were not given. */
const IGNORED = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'] as const;

/** Those that Lambda sets are named as well. */
type Name = keyof FunctionVariables | 'AWS_REGION' | 'AWS_EXECUTION_ENV' | (typeof IGNORED)[number];
export type Variables = Readonly<Partial<Record<Name, string | undefined>>>;

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
  const audiences = audiencesIn(
    required(variables, 'AUDIENCE', 'the accepted audiences, separated by commas'),
  );
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
    files: variables.FILES_BUCKET
      ? { bucket: variables.FILES_BUCKET, url: url('FILES_URL', variables.FILES_URL ?? '') }
      : undefined,
    timeoutMs: 1000 * seconds('TIMEOUT_S', Number(variables.TIMEOUT_S || TIMEOUT_S)),
    // Lambda sets this variable itself, to AWS_Lambda_…, and reserves it: no deployed function can have it.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}

function required(variables: Variables, name: Name, meaning: string): string {
  const value = variables[name];
  if (!value) throw new Error(`The environment variable ${name} is missing: set it to ${meaning}.`);
  return value;
}

/** Checks an address but gives it back as written, because issuers are compared to the letter. */
function url(name: Name, value: string): string {
  const parsed = URL.parse(value);
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    throw new Error(`The environment variable ${name} must be an http or https URL.`);
  }
  return value;
}

function seconds(name: Name, value: number): number {
  if (value > 0) return value;
  throw new Error(`The environment variable ${name} must be a number of seconds.`);
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
