import { Router } from '@aws-lambda-powertools/event-handler/http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { ApplicationPath, JobPath, StatusUpdate } from './schemas.ts';
import { Rejected, readingWith, settingWith } from './store.ts';
import { keysByFetch, verifier } from './token.ts';

const client = new DynamoDBClient({});
const subjectOf = verifier(keysByFetch());
const readApplication = readingWith(client);
const setStatus = settingWith(client);

const router = new Router();

router.errorHandler(Rejected, async ({ status, message }) =>
  Response.json({ message }, { status }),
);

router.get(
  '/v1/jobs/:id/applications/:candidate_id',
  async (request) => {
    await subjectOf(request.req.headers.get('authorization') ?? '', 'applications:read');
    const { id, candidate_id } = request.valid.req.path;
    return Response.json(await readApplication(id, candidate_id));
  },
  { validation: { req: { path: ApplicationPath } } },
);

router.patch(
  '/v1/jobs/:id/status',
  async (request) => {
    const { path, body } = request.valid.req;
    const actor = await subjectOf(request.req.headers.get('authorization') ?? '', 'jobs:write');
    const { awsRequestId: changeId } = request.context;
    const version = await setStatus(path.id, body.status, actor, changeId);
    return Response.json({ success: true }, { headers: { ETag: `"${version}"` } });
  },
  { validation: { req: { path: JobPath, body: StatusUpdate } } },
);

const handler = (event: APIGatewayProxyEventV2, context: Context) => router.resolve(event, context);

export { handler as getApplication, handler as updateJobStatus };
