import { applicationKey, applicationOf, isExpired } from '../application.ts';
import { answering, bearerToken, parameter, Refused, reply, variable } from '../http.ts';
import { plain } from './attributes.ts';
import { call } from './dynamodb.ts';
import { subjectOf } from './token.ts';

const tableName = variable('TABLE_NAME');

export const handler = answering(async (event) => {
  await subjectOf(bearerToken(event.headers.authorization), 'applications:read');
  const { pk, sk } = applicationKey(parameter(event, 'id'), parameter(event, 'candidate_id'));
  const key = { pk: { S: pk }, sk: { S: sk } };
  const { status, document } = await call('GetItem', { TableName: tableName, Key: key });
  if (status !== 200) throw new Error(`DynamoDB answered ${status}.`);
  const { Item: stored } = Object(document);
  const item = stored && plain(stored);
  if (item === undefined || isExpired(item)) throw new Refused(404, 'There is no application.');
  return reply(200, applicationOf(item));
});
