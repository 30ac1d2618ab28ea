import { zValidator } from '@hono/zod-validator';
import { handle } from 'hono/aws-lambda';
import { JobPath, StatusUpdate } from '../schemas.ts';
import { setStatus } from '../sdk-job.ts';
import { authorized, createApp } from './app.ts';

const app = createApp();

app.patch(
  '/v1/jobs/:id/status',
  authorized('jobs:write'),
  zValidator('param', JobPath),
  zValidator('json', StatusUpdate),
  async (context) => {
    const { id } = context.req.valid('param');
    const { status } = context.req.valid('json');
    const { awsRequestId } = context.env.lambdaContext;
    const version = await setStatus(id, status, context.get('subject'), awsRequestId);
    return context.json({ success: true }, 200, { ETag: `"${version}"` });
  },
);

export const handler = handle(app);
