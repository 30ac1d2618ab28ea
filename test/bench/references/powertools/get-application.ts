import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { ApplicationPath } from '../schemas.ts';
import { readApplication } from '../sdk-application.ts';
import { authorized, createRouter } from './router.ts';

const router = createRouter();

router.get(
  '/v1/jobs/:id/applications/:candidate_id',
  [authorized('applications:read')],
  async (request) => {
    const { id, candidate_id } = request.valid.req.path;
    return Response.json(await readApplication(id, candidate_id));
  },
  { validation: { req: { path: ApplicationPath } } },
);

export const handler = (event: APIGatewayProxyEventV2, context: Context) =>
  router.resolve(event, context);
