import {
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { applicationItem, jobItem } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

describe('the price of a request', async () => {
  const service = await startProxiedService();
  const client = new DynamoDBClient({ endpoint: inject('databaseEndpoint') });
  await service.table.put(applicationItem({}));

  /** Input of the only DynamoDB request that `call` makes. The tests send it again to get the consumed capacity. */
  async function onlyInput(call: () => Promise<{ status: number }>, operation: string) {
    service.proxy.expect('none');
    expect((await call()).status).toBe(200);
    expect(service.proxy.requests).toMatchObject([{ operation }]);
    const input = { ...service.proxy.requests[0]?.input, ReturnConsumedCapacity: 'TOTAL' };
    return input as GetItemCommandInput & UpdateItemCommandInput;
  }

  it('is one GetItem of half a read unit for an application', async () => {
    const input = await onlyInput(service.getApplication, 'GetItem');
    const { ConsumedCapacity: consumed } = await client.send(new GetItemCommand(input));
    expect(consumed?.CapacityUnits).toBe(0.5);
  });

  it('is one UpdateItem of one write unit for a change of a status', async () => {
    await service.table.put(jobItem({}));
    const input = await onlyInput(service.updateJobStatus, 'UpdateItem');
    // Restores the job, so that the same update can be sent again.
    await service.table.put(jobItem({}));
    const { ConsumedCapacity: consumed } = await client.send(new UpdateItemCommand(input));
    expect(consumed?.CapacityUnits).toBe(1);
  });
});
