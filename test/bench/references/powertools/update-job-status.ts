import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { JobPath, StatusUpdate } from '../schemas.ts';
import { setStatus } from '../sdk-job.ts';
import { authorized, createRouter } from './router.ts';

const router = createRouter();

router.patch(
  '/v1/jobs/:id/status',
  [authorized('jobs:write')],
  async (request) => {
    const { path, body } = request.valid.req;
    const subject = request.get('subject') ?? '';
    const { awsRequestId } = request.context;
    const version = await setStatus(path.id, body.status, subject, awsRequestId);
    return Response.json({ success: true }, { headers: { ETag: `"${version}"` } });
  },
  { validation: { req: { path: JobPath, body: StatusUpdate } } },
);

export const handler = (event: APIGatewayProxyEventV2, context: Context) =>
  router.resolve(event, context);
