import { type FunctionVariables, TIMEOUT_S } from '../contract/environment.ts';
import { isTransitionPolicyName, type TransitionPolicyName } from '../domain/job.ts';

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
  /** The function's time-out, in milliseconds. */
  timeoutMs: number;
  /** Whether it runs under `npm start`: the log then has the messages of all errors. */
  isLocal: boolean;
}

/** Those that Lambda sets are named as well. */
export type Variables = Readonly<
  Partial<Record<keyof FunctionVariables | 'AWS_REGION' | 'AWS_EXECUTION_ENV', string | undefined>>
>;

/**
 * Reads the environment; the only place that does. What the values may be is checked when the stack is
 * synthesized (infra/settings/context-keys.ts).
 * @throws Error that names the variable which is missing, and what it should be.
 */
export function readEnvironment(variables: Variables = process.env): Environment {
  const required = (name: keyof Variables, meaning: string): string => {
    const value = variables[name];
    if (value) return value;
    throw new Error(`The environment variable ${name} is missing: set it to ${meaning}.`);
  };
  const policy = variables.TRANSITION_POLICY || 'any';
  if (!isTransitionPolicyName(policy)) {
    throw new Error('The environment variable TRANSITION_POLICY must be the name of a policy.');
  }
  return {
    tableName: required('TABLE_NAME', 'the name of the DynamoDB table'),
    region: required('AWS_REGION', 'the AWS region'),
    endpoint: required('AWS_ENDPOINT_URL_DYNAMODB', 'the address of DynamoDB'),
    issuer: required('ISSUER', 'the address of the token issuer'),
    audiences: required('AUDIENCE', 'the accepted audiences, separated by commas')
      .split(',')
      .map((audience) => audience.trim())
      .filter((audience) => audience !== ''),
    jwksUri: variables.JWKS_URI || undefined,
    scopePrefix: variables.SCOPE_PREFIX ?? '',
    tenantClaim: variables.TENANT_CLAIM || undefined,
    transitionPolicy: policy,
    timeoutMs: 1000 * Number(variables.TIMEOUT_S || TIMEOUT_S),
    // Lambda sets this variable itself, to AWS_Lambda_…, and reserves it: no deployed function can have it.
    isLocal: variables.AWS_EXECUTION_ENV === 'local',
  };
}
