import { Router } from '@aws-lambda-powertools/event-handler/http';
import type { Middleware } from '@aws-lambda-powertools/event-handler/types';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { ApplicationPath, JobPath, StatusUpdate } from './schemas.ts';
import { Rejected, readingWith, settingWith } from './store.ts';
import { keysByFetch, verifier } from './token.ts';

/** What the middlewares leave on a request. */
interface Environment {
  store: { request: { subject: string } };
}

const client = new DynamoDBClient({});
const subjectOf = verifier(keysByFetch());
const readApplication = readingWith(client);
const setStatus = settingWith(client);

/** Lets requests pass whose token has the scope. */
const authorized =
  (scope: string): Middleware<Environment> =>
  async ({ reqCtx, next }) => {
    const authorization = reqCtx.req.headers.get('authorization') ?? undefined;
    reqCtx.set('subject', await subjectOf(authorization, scope));
    await next();
  };

const router = new Router<Environment>();

router.errorHandler(Rejected, async ({ status, message }) =>
  Response.json({ message }, { status }),
);

router.get(
  '/v1/jobs/:id/applications/:candidate_id',
  [authorized('applications:read')],
  async (request) => {
    const { id, candidate_id } = request.valid.req.path;
    return Response.json(await readApplication(id, candidate_id));
  },
  { validation: { req: { path: ApplicationPath } } },
);

router.patch(
  '/v1/jobs/:id/status',
  [authorized('jobs:write')],
  async (request) => {
    const { path, body } = request.valid.req;
    const actor = request.get('subject') ?? '';
    const { awsRequestId: changeId } = request.context;
    const version = await setStatus(path.id, body.status, actor, changeId);
    return Response.json({ success: true }, { headers: { ETag: `"${version}"` } });
  },
  { validation: { req: { path: JobPath, body: StatusUpdate } } },
);

const handler = (event: APIGatewayProxyEventV2, context: Context) => router.resolve(event, context);

export { handler as getApplication, handler as updateJobStatus };
