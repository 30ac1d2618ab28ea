import { marshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import validator from '@middy/validator';
import isPath from '#validators/get-application-path';
import { authenticate } from './auth/authenticate.ts';
import { fetchIssuerKeys } from './auth/issuer-keys.ts';
import { jwksCache } from './auth/jwks-cache.ts';
import { getApplication } from './contract/get-application.ts';
import { logRequest } from './http/log-request.ts';
import { problems } from './http/problems.ts';
import { responseHeaders } from './http/response-headers.ts';
import { limitTime } from './http/time-limit.ts';
import { readEnvironment } from './runtime/env.ts';
import { type Invocation, ok, type Reply } from './runtime/invocation.ts';
import { log } from './runtime/logger.ts';
import { prime, primeValidator } from './start/prime.ts';
import { applications } from './store/applications.ts';
import { documentClient } from './store/client.ts';
import { Transport } from './store/transport.ts';

const environment = readEnvironment();
const { issuer, jwksUri, endpoint, tableName } = environment;
const keys = jwksCache((timeoutMs) => fetchIssuerKeys(issuer, jwksUri, timeoutMs));
const transport = new Transport(endpoint);
const store = applications(documentClient(environment, transport), tableName);

// Without middy's own time-out, which covers the handler only: limitTime covers authentication too.
export const handler = middy<Invocation, Reply>({ timeoutEarlyInMillis: 0 })
  .use(limitTime())
  .use(logRequest(getApplication.operationId, log))
  .use(responseHeaders())
  .use(problems())
  .use(httpHeaderNormalizer())
  .use(authenticate(getApplication.scope, environment, keys.find))
  .use(validator({ eventSchema: isPath }))
  .handler(async ({ caller, pathParameters, signal }) => {
    const { id, candidate_id } = pathParameters;
    return ok(await store.get(caller.tenant, id, candidate_id, signal));
  });

const primingResponse = { Item: marshall(getApplication.response.example), ConsumedCapacity: {} };
// Before the first request: fetches the issuer's keys, connects to DynamoDB, and runs the costly code once,
// so that it is compiled. Lambda sends the first request when all three have ended; none of them rejects.
await Promise.all([
  keys.prefetch(),
  transport.connect(),
  prime(getApplication.operationId, environment, primingResponse, async (client, signal) => {
    primeValidator(isPath, { pathParameters: { id: 'job', candidate_id: 'candidate' } });
    ok(await applications(client, tableName).get('tenant', 'job', 'candidate', signal));
  }),
]);
