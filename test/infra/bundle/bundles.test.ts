import { beforeAll, describe, expect, it } from 'vitest';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { captureLog } from '../../support/log.ts';
import {
  type FunctionName,
  type Functions,
  functionNames,
  loadBundles,
  useProxiedService,
} from '../../support/service.ts';

const html = { status: 200, body: '<html>Invented.</html>' };

/** A fault that stays, and how many attempts the SDK makes: 3 is the most. */
const faults: [string, Fault, attempts: number][] = [
  ['fails', dynamoError(500, 'InternalServerError'), 3],
  ['throttles the table', dynamoError(400, 'ProvisionedThroughputExceededException'), 3],
  ['throttles the account', dynamoError(400, 'ThrottlingException'), 3],
  ['limits the rate', dynamoError(400, 'RequestLimitExceeded'), 3],
  ['replicates another write', dynamoError(400, 'ReplicatedWriteConflictException'), 3],
  ['is in a transaction', dynamoError(400, 'TransactionConflictException'), 1],
  ['is unavailable', { status: 503, body: '' }, 3],
  ['breaks the connection', 'reset', 3],
  ['has no such table', dynamoError(400, 'ResourceNotFoundException'), 1],
  ['allows nothing', dynamoError(400, 'AccessDeniedException'), 1],
  ['has a full collection', dynamoError(400, 'ItemCollectionSizeLimitExceededException'), 1],
  ['rejects without a reason', { status: 400, body: '{}' }, 1],
  ['sends half a response', 'truncated', 1],
  ['sends a web page', html, 1],
];

describe('the bundles, in which modules are replaced, behave like the sources if the database', () => {
  const service = useProxiedService();
  // The bundles write to it.
  captureLog();
  let bundles: Functions;
  beforeAll(async () => {
    bundles = await loadBundles(service);
  });

  const outcomeOf = async (
    functions: Functions,
    operation: FunctionName,
    fault: Fault,
    id: string,
  ) => {
    await service.table.put(applicationItem({ job: id }));
    await service.table.put(jobItem({ job: id }));
    service.proxy.faultsFor.set(id, Array(5).fill(fault));
    const { status, body } = await functions[operation]({
      pathParameters: { id, candidate_id: 'c-1' },
    });
    const attempts = service.proxy.requestsFor(`#JOB#${id}"`).length;
    return { status, code: body.code, attempts };
  };

  describe.each(functionNames)('during %s', (operation) => {
    // A busy machine is late at times: a difference shows each time.
    it.concurrent.each(faults)('%s', { retry: 2 }, async (_, fault, attempts) => {
      const id = crypto.randomUUID();
      const [source, bundle] = [
        await outcomeOf(service, operation, fault, `${id}-source.`),
        await outcomeOf(bundles, operation, fault, `${id}-bundle.`),
      ];
      expect(bundle).toEqual(source);
      expect(bundle.attempts).toBe(attempts);
    });
  });

  it('works', async () => {
    await service.table.put(applicationItem({ job: 'whole' }));
    await service.table.put(jobItem({ job: 'whole' }));
    const read = { pathParameters: { id: 'whole', candidate_id: 'c-1' } };
    const change = { pathParameters: { id: 'whole' } };
    const { body } = await bundles.getApplication(read);
    expect(body).toEqual((await service.getApplication(read)).body);
    expect((await bundles.updateJobStatus(change)).headers.ETag).toBe('"2"');
    expect((await service.updateJobStatus(change)).headers.ETag).toBe('"2"');
  });
});
