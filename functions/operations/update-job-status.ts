import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import validator from '@middy/validator';
import isBody from '#validators/update-job-status-body';
import isPath from '#validators/update-job-status-path';
import { authenticate } from './auth/authenticate.ts';
import { fetchIssuerKeys } from './auth/issuer-keys.ts';
import { jwksCache } from './auth/jwks-cache.ts';
import { entityTag } from './contract/headers.ts';
import { bodyRules, type JobStatusUpdated, updateJobStatus } from './contract/update-job-status.ts';
import { transitionPolicies } from './domain/job.ts';
import { versionsOf } from './http/if-match.ts';
import { logRequest } from './http/log-request.ts';
import { problems } from './http/problems.ts';
import { requireJson } from './http/require-json.ts';
import { responseHeaders } from './http/response-headers.ts';
import { limitTime } from './http/time-limit.ts';
import { readEnvironment } from './runtime/env.ts';
import { type Invocation, ok, type Reply } from './runtime/invocation.ts';
import { log } from './runtime/logger.ts';
import { prime, primeValidator } from './start/prime.ts';
import { documentClient } from './store/client.ts';
import { jobs, type StatusChange } from './store/jobs.ts';
import { Transport } from './store/transport.ts';

const environment = readEnvironment();
const { issuer, jwksUri, endpoint, tableName, transitionPolicy } = environment;
const keys = jwksCache((timeoutMs) => fetchIssuerKeys(issuer, jwksUri, timeoutMs));
const transport = new Transport(endpoint);
const policy = transitionPolicies[transitionPolicy];
const store = jobs(documentClient(environment, transport), tableName, policy);
const updated: JobStatusUpdated = { success: true };

// Without middy's own time-out, which covers the handler only: limitTime covers authentication too.
export const handler = middy<Invocation, Reply>({ timeoutEarlyInMillis: 0 })
  .use(limitTime())
  .use(logRequest(updateJobStatus.operationId, log))
  .use(responseHeaders())
  .use(problems(bodyRules))
  .use(httpHeaderNormalizer())
  .use(authenticate(updateJobStatus.scope, environment, keys.find))
  .use(validator({ eventSchema: isPath }))
  // The media type and the length of the body, before it is parsed.
  .use(requireJson())
  .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
  .use(validator({ eventSchema: isBody }))
  .handler(async (invocation, { awsRequestId }) => {
    const { caller, pathParameters, headers, body, signal } = invocation;
    const change = {
      tenant: caller.tenant,
      job: pathParameters.id,
      status: body.status,
      actor: caller.subject,
      // Lambda's id of the invocation: the same for every attempt of the SDK to send this change, and
      // another if the client repeats its request.
      changeId: awsRequestId,
      versions: versionsOf(headers['if-match']),
    };
    const { version, isChanged } = await store.setStatus(change, signal);
    // For the log line.
    if (isChanged) invocation.statusChangedTo = change.status;
    return ok(updated, { ETag: entityTag(version) });
  });

const primingResponse = { Attributes: { version: { N: '2' } } };
const primingChange: StatusChange = {
  tenant: 'tenant',
  job: 'job',
  status: 'published',
  actor: 'actor',
  changeId: 'change',
};
// Before the first request: fetches the issuer's keys, connects to DynamoDB, and runs the costly code once,
// so that it is compiled. Lambda sends the first request when all three have ended; none of them rejects.
await Promise.all([
  keys.prefetch(),
  transport.connect(),
  prime(updateJobStatus.operationId, environment, primingResponse, async (client, signal) => {
    primeValidator(isPath, { pathParameters: { id: 'job' } });
    primeValidator(isBody, { body: { status: 'published' } });
    await jobs(client, tableName, policy).setStatus(primingChange, signal);
    ok(updated);
  }),
]);
