import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import validator from '@middy/validator';
import isBody from '#validators/update-job-status-body';
import isPath from '#validators/update-job-status-path';
import { authenticate } from './auth/authenticate.ts';
import { type JobStatusUpdated, updateJobStatus } from './contract/update-job-status.ts';
import { jobStatuses, transitionPolicies } from './domain/job.ts';
import { entityTag, versionsOf } from './http/if-match.ts';
import { logRequest } from './http/log-request.ts';
import { problems } from './http/problems.ts';
import { requireJson } from './http/require-json.ts';
import { responseHeaders } from './http/response-headers.ts';
import { timeLimit } from './http/time-limit.ts';
import { type Invocation, ok, type Reply } from './runtime/invocation.ts';
import { type Chain, ready } from './start/ready.ts';
import { documentClient } from './store/client.ts';
import { jobs } from './store/jobs.ts';

const expectations = {
  '': 'must be an object that holds status alone',
  '/status': `must be one of ${jobStatuses.join(', ')}`,
};

const chain: Chain = ({ environment, findKey, carrier, log }) => {
  const policy = transitionPolicies[environment.transitionPolicy];
  const store = jobs(documentClient(environment, carrier), environment.tableName, policy);
  return middy<Invocation, Reply>(timeLimit)
    .use(logRequest(updateJobStatus.operationId, log))
    .use(responseHeaders())
    .use(problems(expectations))
    .use(httpHeaderNormalizer())
    .use(authenticate(updateJobStatus.scope, environment, findKey))
    .use(validator({ eventSchema: isPath }))
    .use(requireJson())
    .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
    .use(validator({ eventSchema: isBody }))
    .handler(async (invocation, { awsRequestId }, { signal }) => {
      const { caller, pathParameters, headers, body } = invocation;
      const change = {
        tenant: caller.tenant,
        job: pathParameters.id,
        status: body.status,
        actor: caller.subject,
        changeId: awsRequestId,
        versions: versionsOf(headers['if-match']),
      };
      const { version, isChanged } = await store.setStatus(change, signal);
      if (isChanged) invocation.statusChangedTo = change.status;
      const updated: JobStatusUpdated = { success: true };
      return ok(updated, { ETag: entityTag(version) });
    });
};

export const handler = await ready(chain, {
  operation: updateJobStatus,
  pathParameters: { id: 'rehearsal' },
  body: '{"status":"published"}',
  databaseAnswer: { Attributes: { version: { N: '2' } } },
});
