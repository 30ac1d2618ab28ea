import { beforeAll, describe, expect, it } from 'vitest';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { useProxiedService } from '../../support/service.ts';

const LIMIT_BYTES = 4_194_304;
const DEPTH = 100_000;
const deep = `${'{"L":['.repeat(DEPTH)}${']}'.repeat(DEPTH)}`;
const refused = JSON.parse(dynamoError(400, 'ConditionalCheckFailedException').body);

const unreadable: [string, string][] = [
  ['larger than any of DynamoDB', `"${'x'.repeat(LIMIT_BYTES)}"`],
  ['nested too deeply to be read', deep],
];

describe.each(unreadable)('an answer of the database that is %s', (_, value) => {
  const service = useProxiedService();
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
  });
  const answer = (status: number, members: string): Fault => ({ status, body: `{${members}}` });
  const type = `"__type":${JSON.stringify(refused.__type)}`;

  it('is a fault of ours for a read, and is not asked for again', async () => {
    service.proxy.expect(answer(200, `"Item":{"summary":${value}},"ConsumedCapacity":{}`));
    const { status } = await service.getApplication();
    expect(status).toBe(500);
    expect(service.proxy.requests).toHaveLength(1);
  });

  it('is a fault of ours for a change that is refused', async () => {
    service.proxy.expect(answer(400, `${type},"Item":{"summary":${value}}`));
    const { status } = await service.updateJobStatus();
    expect(status).toBe(500);
    expect(service.proxy.requests).toHaveLength(1);
  });

  it('leaves the outcome of a change unknown that may have been made', async () => {
    service.proxy.expect(answer(200, `"Attributes":{"summary":${value}}`));
    const { status, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
    expect(service.proxy.requests).toHaveLength(1);
  });
});
