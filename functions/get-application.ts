import { marshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import validator from '@middy/validator';
import isPath from '#validators/get-application-path';
import { authenticate } from './auth/authenticate.ts';
import { getApplication } from './contract/get-application.ts';
import { logRequest } from './http/log-request.ts';
import { problems } from './http/problems.ts';
import { responseHeaders } from './http/response-headers.ts';
import { timeLimit } from './http/time-limit.ts';
import { type Invocation, ok, type Reply } from './runtime/invocation.ts';
import { type Chain, ready } from './start/ready.ts';
import { applications } from './store/applications.ts';
import { documentClient } from './store/client.ts';

const chain: Chain = ({ environment, findKey, carrier, log }) => {
  const store = applications(documentClient(environment, carrier), environment.tableName);
  return middy<Invocation, Reply>(timeLimit)
    .use(logRequest(getApplication.operationId, log))
    .use(responseHeaders())
    .use(problems())
    .use(httpHeaderNormalizer())
    .use(authenticate(getApplication.scope, environment, findKey))
    .use(validator({ eventSchema: isPath }))
    .handler(async ({ caller, pathParameters }, _context, { signal }) => {
      const { id, candidate_id } = pathParameters;
      return ok(await store.get(caller.tenant, id, candidate_id, signal));
    });
};

export const handler = await ready(chain, {
  operation: getApplication,
  pathParameters: { id: 'rehearsal', candidate_id: 'rehearsal' },
  databaseAnswer: {
    Item: marshall(getApplication.response.example),
    ConsumedCapacity: { CapacityUnits: 0.5 },
  },
});
