import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { bearerToken, type Handler, handling, ok, parameter, statusIn } from './http.ts';
import { readApplication, setStatus } from './store.ts';
import type { SubjectOf } from './token.ts';

/** A bare handler that reads an application. */
export const readHandler = (client: DynamoDBClient, subjectOf: SubjectOf): Handler =>
  handling(async (event) => {
    await subjectOf(bearerToken(event.headers.authorization), 'applications:read');
    const job = parameter(event, 'id');
    return ok(await readApplication(client, job, parameter(event, 'candidate_id')));
  });

/** A bare handler that sets a job's status. */
export const updateHandler = (client: DynamoDBClient, subjectOf: SubjectOf): Handler =>
  handling(async (event, { awsRequestId: changeId }) => {
    const actor = await subjectOf(bearerToken(event.headers.authorization), 'jobs:write');
    const job = parameter(event, 'id');
    const version = await setStatus(client, { job, status: statusIn(event), actor, changeId });
    return ok({ success: true }, { ETag: `"${version}"` });
  });
