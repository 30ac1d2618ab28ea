import type { webcrypto } from 'node:crypto';
import { HttpResponse } from '@smithy/core/protocols';
import type { Context } from 'aws-lambda';
import { jwksCache } from '../auth/jwks-cache.ts';
import type { Operation } from '../contract/operation.ts';
import type { Environment } from '../runtime/env.ts';
import type { Chain } from './ready.ts';

const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const EXPIRES_S = 60;

const CONTEXT: Context = {
  awsRequestId: 'rehearsal',
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'rehearsal',
  functionVersion: '1',
  invokedFunctionArn: 'rehearsal',
  logGroupName: 'rehearsal',
  logStreamName: 'rehearsal',
  memoryLimitInMB: '512',
  getRemainingTimeInMillis: () => 6000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

/** A request that a chain serves, and what the database answers to it. */
export interface Scene {
  operation: Operation;
  pathParameters: Record<string, string>;
  body?: string;
  databaseAnswer: object;
}

/** A rehearsal that was answered with a refusal, and what the log would have said of it. */
export class RefusedRehearsal extends Error {
  readonly record: Readonly<Record<string, unknown>>;

  constructor(record: Readonly<Record<string, unknown>>) {
    super(`The rehearsal was answered ${record.status}.`);
    this.record = record;
  }
}

/**
 * Runs a chain once, so that its code is compiled before the first request. Nothing of it is seen
 * outside: it has a key of its own, which is thrown away, a database of its own, which answers as it
 * is told, and no log.
 * @throws RefusedRehearsal where the chain does not succeed.
 */
export async function rehearse(
  chain: Chain,
  environment: Environment,
  { operation, pathParameters, body, databaseAnswer }: Scene,
): Promise<void> {
  const key = await crypto.subtle.generateKey(ES256, false, ['sign', 'verify']);
  const keys = [await crypto.subtle.exportKey('jwk', key.publicKey)];
  let logged: Readonly<Record<string, unknown>> = {};
  const handler = chain({
    environment,
    findKey: jwksCache(async () => ({ keys })).find,
    carrier: {
      handle: async () => ({
        response: new HttpResponse({
          statusCode: 200,
          headers: { 'content-type': 'application/x-amz-json-1.0' },
          body: Buffer.from(JSON.stringify(databaseAnswer)),
        }),
      }),
    },
    log: (record) => {
      JSON.stringify(record);
      logged = record;
    },
  });
  const token = await signed(claimsOf(environment, operation), key.privateKey);
  const event = {
    routeKey: `${operation.method} ${operation.path}`,
    requestContext: { requestId: 'rehearsal' },
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    pathParameters,
    isBase64Encoded: false,
    body,
  };
  const { statusCode } = await handler(event, CONTEXT);
  if (statusCode !== 200) throw new RefusedRehearsal(logged);
}

function claimsOf(environment: Environment, operation: Operation): object {
  const { issuer, audiences, scopePrefix, tenantClaim } = environment;
  const now = Math.floor(Date.now() / 1000);
  return {
    ...(tenantClaim !== undefined && { [tenantClaim]: 'rehearsal' }),
    iss: issuer,
    aud: audiences[0],
    sub: 'rehearsal',
    scope: scopePrefix + operation.scope,
    iat: now,
    exp: now + EXPIRES_S,
  };
}

/** A token in the compact form (RFC 7515, section 7.1). */
async function signed(claims: object, key: webcrypto.CryptoKey): Promise<string> {
  const parts = [{ alg: 'ES256', typ: 'at+jwt' }, claims];
  const input = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = await crypto.subtle.sign(ES256, key, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString('base64url')}`;
}
