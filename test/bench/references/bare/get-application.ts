import { application } from '../../stub/items.ts';
import { answering, parameter, reply } from '../http.ts';
import { verified } from './verified.ts';

export const handler = answering(async (event) => {
  await verified(event.headers.authorization);
  parameter(event, 'id');
  parameter(event, 'candidate_id');
  return reply(200, application);
});
