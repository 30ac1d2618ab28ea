import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { applicationKey, candidateKey } from '../../../functions/store/keys.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { createTestTable } from '../../support/table.ts';

describe('the local table', () => {
  it('has the index of the template, which holds the keys of applications and nothing else', async () => {
    const table = await createTestTable();
    const indexesOf = async (Item: Record<string, unknown>) => {
      const { ConsumedCapacity: units } = await table.client.send(
        new PutCommand({ TableName: table.name, Item, ReturnConsumedCapacity: 'INDEXES' }),
      );
      return Object.keys(units?.GlobalSecondaryIndexes ?? {});
    };
    expect(await indexesOf(jobItem({ job: 'j-1' }))).toEqual([]);
    expect(await indexesOf(applicationItem({ job: 'j-1', candidate: 'JOB' }))).toEqual([
      'by-candidate',
    ]);
    const { Items: found } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'by-candidate',
        KeyConditionExpression: 'candidate_pk = :candidate',
        ExpressionAttributeValues: { ':candidate': candidateKey('default', 'JOB').candidate_pk },
      }),
    );
    expect(found).toEqual([
      { ...applicationKey('default', 'j-1', 'JOB'), ...candidateKey('default', 'JOB') },
    ]);
  });
});
