import { generateKeyPairSync, sign } from 'node:crypto';
import { HttpResponse } from '@smithy/core/protocols';
import { createLocalJWKSet } from 'jose';
import { isoDate } from '../platform/clock.ts';
import type { Dependencies, OperationModule } from '../platform/dependencies.ts';
import type { Log } from '../platform/log.ts';
import { documentClient } from '../store/client.ts';

const NAME = 'priming';
const SETTINGS = {
  issuer: NAME,
  audiences: [NAME],
  scopeClaims: ['scope'],
  scopePrefix: '',
  tenantClaim: undefined,
};
const TIMEOUT_MS = 60_000;

/**
 * Runs a sample request during init, so that Node.js compiles the code while Lambda gives the function a full vCPU. The
 * sample's token is accepted only by a handler that real requests never reach.
 *
 * This makes cold starts longer, but first calls much shorter: `npm run bench -- --beside FOLDER` compares it with a
 * checkout that lacks it.
 */
export async function prime(
  { contract, createHandler, priming }: OperationModule,
  dependencies: Dependencies,
): Promise<void> {
  const { log, clock } = dependencies;
  const environment = { ...dependencies.environment, ...SETTINGS, timeoutMs: TIMEOUT_MS };
  const body = Buffer.from(JSON.stringify(priming.response));
  const respond = async () => ({ response: new HttpResponse({ statusCode: 200, body }) });
  const report: Log = ({ operation, function_version, outcome, failure }) => {
    if (outcome === 'ok') return;
    log({
      level: 'WARN',
      timestamp: isoDate(clock),
      operation,
      function_version,
      outcome: 'priming_failed',
      failure: { name: outcome, stack: [], ...failure },
    });
  };
  const { key, token } = issueToken(contract.scope);
  const handler = createHandler({
    ...dependencies,
    environment,
    verifyWithIssuerKeys: (verify) => verify(createLocalJWKSet({ keys: [key] })),
    ...documentClient(environment, { handle: respond }, clock),
    log: report,
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const event = { headers, isBase64Encoded: false, routeKey: NAME, ...priming.event };
  await handler(event, { awsRequestId: NAME, getRemainingTimeInMillis: () => TIMEOUT_MS });
}

function issueToken(scope: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = { iss: NAME, aud: NAME, sub: NAME, scope, iat: 0, exp: 2 ** 33 };
  const content = [{ alg: 'ES256', typ: 'at+jwt' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signature = sign('sha256', Buffer.from(content), options).toString('base64url');
  return { key: publicKey.export({ format: 'jwk' }), token: `${content}.${signature}` };
}
