import { HttpResponse } from '@smithy/core/protocols';
import { createLocalJWKSet } from 'jose';
import type { Dependencies, OperationModule } from '../runtime/dependencies.ts';
import type { Log } from '../runtime/logger.ts';
import { isoDate } from '../runtime/moment.ts';
import { documentClient } from '../store/client.ts';

/** The public key of the token below. The private key is deleted. */
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'DAr8Da6HBwdpFlTmvDN70e615khe-Y36eZZJzAgqs40',
  y: 'P7JLKBScKQyvLzx8qZD0Yqr_mqdTmqu-jdHM6uki8js',
};
/** Valid from 1970 to 9999, with the scopes of all operations: one with another scope needs a new token and key. */
export const PRIMING_TOKEN =
  'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.' +
  'eyJpc3MiOiJwcmltaW5nIiwiYXVkIjoicHJpbWluZyIsInN1YiI6InByaW1pbmciLCJzY29wZSI6ImFwcGxpY2F0aW9uczpyZWFkIGpvYnM6d3JpdGUiLCJpYXQiOjAsImV4cCI6MjUzNDAyMzAwNzk5fQ.' +
  'bDDtYoGxd4iYDnuDwvISe7gFOp7dCj2OgqI6hKfr4C2BE-4NLw3JuXWKOgNwFXw-XjDP1BhXbo2ZWA1hKqy83Q';
const SETTINGS = {
  issuer: 'priming',
  audiences: ['priming'],
  scopePrefix: '',
  tenantClaim: undefined,
  timeoutMs: 60_000,
};

/**
 * Handles one request before the first, so that its code is compiled during init, for which Lambda gives a
 * function a full processor. The handler is another than that of real requests: it accepts the token above,
 * and the response to its request of the database comes from within the process. Never rejects: after a
 * priming that fails, the first request is slower, and the log says why.
 */
export async function prime(
  { createHandler, priming }: OperationModule,
  dependencies: Dependencies,
): Promise<void> {
  const { log, clock } = dependencies;
  const environment = { ...dependencies.environment, ...SETTINGS };
  const body = Buffer.from(JSON.stringify(priming.response));
  const answer = async () => ({ response: new HttpResponse({ statusCode: 200, body }) });
  const report: Log = ({ operation, outcome, failure }) => {
    if (outcome === 'ok') return;
    log({
      level: 'WARN',
      timestamp: isoDate(clock),
      operation,
      outcome: 'priming_failed',
      failure: { name: outcome, stack: [], ...failure },
    });
  };
  const handler = createHandler({
    ...dependencies,
    environment,
    withKeys: (verify) => verify(createLocalJWKSet({ keys: [KEY] })),
    ...documentClient(environment, { handle: answer }, clock),
    log: report,
  });
  const headers = { authorization: `Bearer ${PRIMING_TOKEN}`, 'content-type': 'application/json' };
  const event = { headers, isBase64Encoded: false, routeKey: 'priming', ...priming.event };
  const getRemainingTimeInMillis = () => environment.timeoutMs;
  await handler(event, { awsRequestId: 'priming', getRemainingTimeInMillis });
}
