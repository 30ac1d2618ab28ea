import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import validator from '@middy/validator';
import { isUpdateJobStatusBody, isUpdateJobStatusPath } from '#validators';
import { authenticate } from '../../auth/authenticate.ts';
import { entityTag } from '../../contract/headers.ts';
import { versionsOf } from '../../http/if-match.ts';
import { limitTime } from '../../http/limit-time.ts';
import { logRequest } from '../../http/log-request.ts';
import { problemResponses } from '../../http/problem-responses.ts';
import { requireJson } from '../../http/require-json.ts';
import { responseHeaders } from '../../http/response-headers.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { type FunctionResponse, type Invocation, respond } from '../../platform/invocation.ts';
import { setJobStatus } from '../../store/set-job-status.ts';
import { type JobStatusUpdated, updateJobStatus } from './contract.ts';

export { updateJobStatus as contract };

export function createHandler(dependencies: Dependencies) {
  // `limitTime` replaces Middy's own timeout.
  return middy<Invocation, FunctionResponse>({ timeoutEarlyInMillis: 0 })
    .use(limitTime(dependencies))
    .use(logRequest(updateJobStatus, dependencies))
    .use(responseHeaders())
    .use(problemResponses(updateJobStatus))
    .use(httpHeaderNormalizer())
    .use(authenticate(updateJobStatus.scope, dependencies))
    .use(validator({ eventSchema: isUpdateJobStatusPath }))
    .use(requireJson(updateJobStatus))
    .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
    .use(validator({ eventSchema: isUpdateJobStatusBody }))
    .handler(async (invocation, { awsRequestId }) => {
      const { caller, pathParameters, headers, body: requested, signal } = invocation;
      const change = {
        tenant: caller.tenant,
        job: pathParameters.id,
        status: requested.status,
        subject: caller.subject,
        changeId: awsRequestId,
        versions: versionsOf(headers['if-match']),
      };
      const { version, isChanged } = await setJobStatus(dependencies, change, signal);
      if (isChanged) invocation.statusChangedTo = change.status;
      const body = { success: true } satisfies JobStatusUpdated;
      return respond(updateJobStatus, body, { ETag: entityTag(version) });
    });
}

export const priming = {
  event: { pathParameters: { id: 'job' }, body: '{"status":"published"}' },
  response: { Attributes: { version: { N: '2' } } },
};
