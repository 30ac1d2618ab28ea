import { answering, parameter, reply, statusIn } from '../http.ts';
import { verified } from './verified.ts';

export const handler = answering(async (event) => {
  await verified(event.headers.authorization);
  parameter(event, 'id');
  statusIn(event.body);
  return reply(200, { success: true }, { ETag: '"2"' });
});
