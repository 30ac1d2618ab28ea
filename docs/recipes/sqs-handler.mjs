// A Lambda function for the SQS queue before the writer (docs/live-data.md). A message is {"record": {…}, "revision": N}
// to store an application, or {"remove": {…}, "revision": N} to remove one.
//
// To keep messages out of the dead-letter queue during an outage of three days, set `ReportBatchItemFailures` on the event
// source mapping, a function timeout of 30 seconds, a visibility timeout of 300 seconds and a `maxReceiveCount` of 1000.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { InvalidRecord, recordWriter } from 'recruitment-writer';

const { TABLE, INVALID_QUEUE_URL } = process.env;
const sqs = new SQSClient();
const writer = recordWriter({ client: new DynamoDBClient(), table: TABLE, tenantClaim: 'none' });

async function write(body) {
  try {
    const { record, remove, revision } = Object(JSON.parse(body));
    if (remove) await writer.removeApplication(remove, revision);
    else await writer.putApplication(record, revision);
  } catch (error) {
    if (!(error instanceof InvalidRecord || error instanceof SyntaxError)) throw error;
    console.error(error.name, error.faults);
    await sqs.send(new SendMessageCommand({ QueueUrl: INVALID_QUEUE_URL, MessageBody: body }));
  }
}

export async function handler({ Records }) {
  const results = await Promise.allSettled(Records.map(({ body }) => write(body)));
  const failed = Records.filter((_, at) => results[at].status === 'rejected');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
