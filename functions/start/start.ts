import { fetchIssuerKeys } from '../auth/issuer-keys.ts';
import { jwksCache } from '../auth/jwks-cache.ts';
import { type Clock, systemClock, systemTimer, type Timer } from '../platform/clock.ts';
import type { Handler, OperationModule } from '../platform/dependencies.ts';
import { readEnvironment, type Variables } from '../platform/environment.ts';
import { type Log, writeLine } from '../platform/log.ts';
import { documentClient } from '../store/client.ts';
import { createTransport, type TransportLimits } from '../store/transport.ts';
import { prime } from './prime.ts';

/** What tests and `npm start` replace. */
export interface StartOptions {
  variables?: Variables;
  log?: Log;
  clock?: Clock;
  timer?: Timer;
  /** In milliseconds. `issuer` limits each fetch of the issuer's keys. */
  limits?: { database?: Partial<TransportLimits>; issuer?: number };
}

/**
 * First fetches the issuer's keys, connects to DynamoDB and primes. Starts even if these fail.
 * @throws Error that names the missing or invalid environment variable.
 */
export async function start(
  operation: OperationModule,
  options: StartOptions = {},
): Promise<Handler> {
  const { log = writeLine, clock = systemClock, timer = systemTimer, limits } = options;
  const environment = readEnvironment(options.variables);
  const { issuer, jwksUri, endpoint } = environment;
  const fetchKeys = (timeoutMs: number) =>
    fetchIssuerKeys(issuer, jwksUri, limits?.issuer ?? timeoutMs);
  const { verifyWithIssuerKeys, prefetch } = jwksCache(fetchKeys, clock);
  const transport = createTransport(endpoint, clock, timer, limits?.database);
  const database = documentClient(environment, transport, clock);
  const dependencies = { environment, verifyWithIssuerKeys, ...database, log, clock, timer };
  const handler = operation.createHandler(dependencies);
  // All three shorten the first call and lengthen the cold start (`prime` says how to measure this).
  await Promise.all([prefetch(), transport.connect(), prime(operation, dependencies)]);
  return handler;
}
