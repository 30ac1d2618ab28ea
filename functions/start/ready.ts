import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import { fetchIssuerKeys } from '../auth/issuer-keys.ts';
import { jwksCache } from '../auth/jwks-cache.ts';
import { type Environment, readEnvironment } from '../runtime/env.ts';
import type { Invocation, Reply } from '../runtime/invocation.ts';
import { describeFailure, type Log, log } from '../runtime/logger.ts';
import { type Carrier, Transport } from '../store/transport.ts';
import { RefusedRehearsal, rehearse, type Scene } from './rehearsal.ts';

/** What a chain stands on. */
export interface Ground {
  environment: Environment;
  findKey: JWTVerifyGetKey;
  carrier: Carrier;
  log: Log;
}

/** Makes the handler of an operation, which stands on `ground`. */
export type Chain = (ground: Ground) => (event: Invocation, context: Context) => Promise<Reply>;

/**
 * Gives the handler of a chain, once all is done that its first request would wait for: the issuer's
 * keys are fetched, the database is connected, and the chain has run. Lambda gives the start of a
 * function a whole processor, and its requests a share.
 * @throws Error where a variable of the environment is missing or wrong. An issuer or a database that
 *   does not answer is no such error: the first request says so. Nor is a rehearsal that fails, which
 *   leaves the first request slow: the log says so.
 */
export async function ready(chain: Chain, scene: Scene): Promise<ReturnType<Chain>> {
  const environment = readEnvironment();
  const { issuer, jwksUri, endpoint } = environment;
  const keys = jwksCache(() => fetchIssuerKeys(issuer, jwksUri));
  const carrier = new Transport(endpoint);
  const [rehearsal] = await Promise.allSettled([
    rehearse(chain, environment, scene),
    keys.prefetch(),
    carrier.connect(),
  ]);
  if (rehearsal.status === 'rejected') report(scene, rehearsal.reason);
  return chain({ environment, findKey: keys.find, carrier, log });
}

const report = ({ operation }: Scene, reason: unknown) =>
  log({
    level: 'WARN',
    timestamp: new Date().toISOString(),
    operation: operation.operationId,
    outcome: 'rehearsal_failed',
    ...(reason instanceof RefusedRehearsal
      ? {
          rehearsal: { outcome: reason.record.outcome, status: reason.record.status },
          failure: reason.record.failure,
        }
      : { failure: describeFailure(reason, () => false) }),
  });
