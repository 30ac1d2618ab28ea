import { zValidator } from '@hono/zod-validator';
import { handle } from 'hono/aws-lambda';
import { ApplicationPath } from '../schemas.ts';
import { readApplication } from '../sdk-application.ts';
import { authorized, createApp } from './app.ts';

const app = createApp();

app.get(
  '/v1/jobs/:id/applications/:candidate_id',
  authorized('applications:read'),
  zValidator('param', ApplicationPath),
  async (context) => {
    const { id, candidate_id } = context.req.valid('param');
    return context.json(await readApplication(id, candidate_id));
  },
);

export const handler = handle(app);
