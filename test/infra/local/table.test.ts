import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { applicationKey, candidateKey } from '../../../functions/store/keys.ts';
import { createTable } from '../../../infra/local/table.ts';
import { readTemplate } from '../../../infra/local/template.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { createTestTable, type TestTable } from '../../support/table.ts';

describe('the local table', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
  });

  it('has the index of the template, which holds the keys of applications and nothing else', async () => {
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

  it('is left as it is if it exists', async () => {
    const template = readTemplate(inject('assembly'));
    expect(await createTable(new DynamoDBClient({}), template, table.name)).toBe(false);
  });
});
