import { answering, bearerToken, parameter, reply } from '../http.ts';
import { subjectOf } from '../jose-token.ts';
import { readApplication } from '../sdk-application.ts';

export const handler = answering(async (event) => {
  await subjectOf(bearerToken(event.headers.authorization), 'applications:read');
  const job = parameter(event, 'id');
  return reply(200, await readApplication(job, parameter(event, 'candidate_id')));
});
