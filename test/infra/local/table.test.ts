import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { applicationKey, candidateKey, jobKey } from '../../../functions/store/keys.ts';
import { createTable } from '../../../infra/local/table.ts';
import { readTemplate } from '../../../infra/local/template.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { createTableWithoutIndex, createTestTable, type TestTable } from '../../support/table.ts';

describe('the local table', () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await createTestTable();
  });
  const create = (name: string) =>
    createTable(new DynamoDBClient({}), readTemplate(inject('assembly')), name);

  it('has the index of the template, with the keys of applications and of nothing else', async () => {
    await table.put(applicationItem({ job: 'j-1', candidate: 'JOB' }));
    await table.put(jobItem({ job: 'j-1' }));
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
    expect(await table.read(jobKey('default', 'j-1'))).toBeDefined();
  });

  it('writes a job without a write to the index, and an application with one', async () => {
    const unitsOf = async (Item: Record<string, unknown>) => {
      const { ConsumedCapacity: units } = await table.client.send(
        new PutCommand({ TableName: table.name, Item, ReturnConsumedCapacity: 'INDEXES' }),
      );
      return [units?.Table?.CapacityUnits, Object.keys(units?.GlobalSecondaryIndexes ?? {})];
    };
    expect(await unitsOf(jobItem({ job: 'units' }))).toEqual([1, []]);
    expect(await unitsOf(applicationItem({ job: 'units' }))).toEqual([1, ['by-candidate']]);
  });

  it('has no stream, whose history the embedded database reads at every write', async () => {
    const { Table: described } = await table.client.send(
      new DescribeTableCommand({ TableName: table.name }),
    );
    expect(described?.StreamSpecification?.StreamEnabled ?? false).toBe(false);
  });

  it('is left as it is if it exists', async () => {
    expect(await create(table.name)).toBe(false);
  });

  it('of an earlier version, without the index, is rejected', async () => {
    const name = await createTableWithoutIndex();
    await expect(create(name)).rejects.toThrow(/by-candidate.*npm start -- --reset/);
  });
});
