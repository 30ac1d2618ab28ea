import { jobKey, statusUpdate, statusValues } from '../application.ts';
import { answering, bearerToken, parameter, Refused, reply, statusIn, variable } from '../http.ts';
import { plain } from './attributes.ts';
import { call } from './dynamodb.ts';
import { subjectOf } from './token.ts';

const tableName = variable('TABLE_NAME');

export const handler = answering(async (event, requestId) => {
  const actor = await subjectOf(bearerToken(event.headers.authorization), 'jobs:write');
  const { pk, sk } = jobKey(parameter(event, 'id'));
  const { status, document } = await call('UpdateItem', {
    TableName: tableName,
    Key: { pk: { S: pk }, sk: { S: sk } },
    ...statusUpdate,
    ExpressionAttributeValues: statusValues(statusIn(event.body), actor, requestId),
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const { Attributes: written, Item: existing, __type: type } = Object(document);
  if (status !== 200 && !String(type).endsWith('#ConditionalCheckFailedException')) {
    throw new Error(`DynamoDB answered ${status}.`);
  }
  const job = written ?? existing;
  if (job === undefined) throw new Refused(404, 'There is no job.');
  return reply(200, { success: true }, { ETag: `"${plain(job).version}"` });
});
