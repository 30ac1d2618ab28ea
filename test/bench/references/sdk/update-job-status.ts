import { answering, bearerToken, parameter, reply, statusIn } from '../http.ts';
import { subjectOf } from '../jose-token.ts';
import { setStatus } from '../sdk-job.ts';

export const handler = answering(async (event, requestId) => {
  const actor = await subjectOf(bearerToken(event.headers.authorization), 'jobs:write');
  const job = parameter(event, 'id');
  const version = await setStatus(job, statusIn(event.body), actor, requestId);
  return reply(200, { success: true }, { ETag: `"${version}"` });
});
