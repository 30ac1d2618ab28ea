import { marshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import validator from '@middy/validator';
import { isGetApplicationPath } from '#validators';
import { authenticate } from '../../auth/authenticate.ts';
import { limitTime } from '../../http/limit-time.ts';
import { logRequest } from '../../http/log-request.ts';
import { problemResponses } from '../../http/problem-responses.ts';
import { responseHeaders } from '../../http/response-headers.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { type FunctionResponse, type Invocation, respond } from '../../platform/invocation.ts';
import { readApplication } from '../../store/read-application.ts';
import { getApplication } from './contract.ts';

export { getApplication as contract };

export function createHandler(dependencies: Dependencies) {
  // `limitTime` replaces Middy's own timeout.
  return middy<Invocation, FunctionResponse>({ timeoutEarlyInMillis: 0 })
    .use(limitTime(dependencies))
    .use(logRequest(getApplication, dependencies))
    .use(responseHeaders())
    .use(problemResponses(getApplication))
    .use(httpHeaderNormalizer())
    .use(authenticate(getApplication.scope, dependencies))
    .use(validator({ eventSchema: isGetApplicationPath }))
    .handler(async (invocation) => {
      const { caller, pathParameters, signal } = invocation;
      const { id: job, candidate_id: candidate } = pathParameters;
      const ids = { tenant: caller.tenant, job, candidate };
      const { application, repairedFields } = await readApplication(dependencies, ids, signal);
      if (repairedFields > 0) invocation.repairedFields = repairedFields;
      return respond(getApplication, application, {});
    });
}

const { example } = getApplication.response;
export const priming = {
  event: { pathParameters: { id: 'job', candidate_id: example.user_id } },
  response: { Item: marshall(example), ConsumedCapacity: {} },
};
