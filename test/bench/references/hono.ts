import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { zValidator } from '@hono/zod-validator';
import { Hono } from 'hono';
import { handle, type LambdaContext } from 'hono/aws-lambda';
import { ApplicationPath, JobPath, StatusUpdate } from './schemas.ts';
import { Rejected, readingWith, settingWith } from './store.ts';
import { keysByFetch, verifier } from './token.ts';

const client = new DynamoDBClient({});
const subjectOf = verifier(keysByFetch());
const readApplication = readingWith(client);
const setStatus = settingWith(client);

const app = new Hono<{ Bindings: { lambdaContext: LambdaContext } }>();

app.onError((error) => {
  if (!(error instanceof Rejected)) throw error;
  return Response.json({ message: error.message }, { status: error.status });
});

app.get(
  '/v1/jobs/:id/applications/:candidate_id',
  zValidator('param', ApplicationPath),
  async (context) => {
    await subjectOf(context.req.header('authorization'), 'applications:read');
    const { id, candidate_id } = context.req.valid('param');
    return context.json(await readApplication(id, candidate_id));
  },
);

app.patch(
  '/v1/jobs/:id/status',
  zValidator('param', JobPath),
  zValidator('json', StatusUpdate),
  async (context) => {
    const actor = await subjectOf(context.req.header('authorization'), 'jobs:write');
    const { id: job } = context.req.valid('param');
    const { status } = context.req.valid('json');
    const { awsRequestId: changeId } = context.env.lambdaContext;
    const version = await setStatus(job, status, actor, changeId);
    return context.json({ success: true }, 200, { ETag: `"${version}"` });
  },
);

const handler = handle(app);

export { handler as getApplication, handler as updateJobStatus };
