import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { jobItem } from '../../support/items.ts';
import { loadFunctions, useProxiedService } from '../../support/service.ts';

type Reason = keyof typeof problemTypes.unavailable.detail;
const unchanged = (reason: Reason) =>
  `${problemTypes.unavailable.detail[reason]} ${problemTypes.unavailable.unchanged}`;

/** DynamoDB's answer if the condition fails, with the item as it was. */
const refused = (item?: Record<string, unknown>) =>
  JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    ...(item && { Item: marshall({ status: 'draft', version: 1, ...item }) }),
  });

describe('an answer that does not say what was written', () => {
  const service = useProxiedService();

  it.each([
    ['is empty', '{}'],
    ['has no version', '{"Attributes":{}}'],
    ['has a word for a version', '{"Attributes":{"version":{"S":"2"}}}'],
  ])('is no success if it %s', async (_, answer) => {
    await service.table.put(jobItem({}));
    service.proxy.expect({ status: 200, body: answer });
    const { status, headers, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
    expect(headers).not.toHaveProperty('ETag');
  });
});

describe('an update whose answer was lost', () => {
  const service = useProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  const stored = () => service.table.read(jobKey('default', 'j-1'));
  const sent = () => service.proxy.requests.map(({ operation }) => operation);
  beforeEach(() => service.table.put(jobItem({})));

  it.each([
    ['', {}],
    [', and is not refused because of its own earlier write by If-Match', { 'if-match': '"1"' }],
  ])('is sent again and is one change%s', async (_, ifMatch) => {
    service.proxy.expect('answer lost', 'none');
    const request = { invocationId: 'change-1', headers: ifMatch };
    const { status, headers, body } = await service.updateJobStatus(request);
    expect(sent()).toEqual(['UpdateItem', 'UpdateItem']);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expect(headers.ETag).toBe('"2"');
    expect(await stored()).toMatchObject({
      status: 'published',
      previous_status: 'draft',
      version: 2,
      last_change_id: 'change-1',
    });
  });

  it('has an unknown outcome if it was refused after that, and the client may try again', async () => {
    const stale = { headers: { 'if-match': '"0"' } };
    service.proxy.expect('answer lost', 'none');
    const unknown = await service.updateJobStatus(stale);
    expect(sent()).toHaveLength(2);
    expect(unknown.status).toBe(503);
    expect(unknown.headers['Retry-After']).toBe('1');
    const { status } = await service.updateJobStatus(stale);
    expect(status).toBe(412);
    expect((await stored())?.version).toBe(1);
  });

  it('is not made again by a first attempt that arrives after another has changed the job', async () => {
    const { promise: changed, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: landed, resolve: land } = Promise.withResolvers<void>();
    service.proxy.expect({ lateAfter: () => changed, landed: land }, 'none');
    const { headers } = await service.updateJobStatus();
    expect(headers.ETag).toBe('"2"');
    const another = await service.updateJobStatus({ body: { status: 'paused' } });
    expect(another.headers.ETag).toBe('"3"');
    goOn();
    await landed;
    expect(await stored()).toMatchObject({ status: 'paused', version: 3 });
  });

  describe('and whose job another has changed before it was sent again', () => {
    const overtake = async () => {
      const item = await stored();
      await service.table.put({
        ...item,
        status: 'archived',
        version: 3,
        fence: Date.now(),
        last_change_id: 'of-another',
      });
    };

    it.each([
      ['without If-Match', {}],
      ['with If-Match', { 'if-match': '"1"' }],
    ])(
      'is not made twice and not called stale: it says that it does not know (%s)',
      async (_, headers) => {
        service.proxy.expect({ lostAfter: overtake }, 'none');
        const { status, body } = await service.updateJobStatus({ headers });
        expect(sent()).toHaveLength(2);
        expect(status).toBe(503);
        expect(body).toMatchObject({ code: 'unavailable' });
        expect(await stored()).toMatchObject({ status: 'archived', version: 3 });
      },
    );
  });

  it.each<[string, Fault]>([
    ['is unknown', { status: 400, body: refused() }],
    ['does not fit its schema', { status: 400, body: refused({ status: 'on-hold', version: 1 }) }],
    ['has a version that is not exact', { status: 400, body: refused({ version: 2 ** 53 - 1 }) }],
    ['is in a table without access', dynamoError(400, 'AccessDeniedException')],
  ])('has an unknown outcome if the job %s when it is sent again', async (_, fault) => {
    service.proxy.expect('reset', fault);
    const { status, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
  });

  it('has an unknown outcome if an import replaced the job before it was sent again', async () => {
    const imported = async () => service.table.put({ ...(await stored()), status: 'closed' });
    service.proxy.expect({ lostAfter: imported }, 'none');
    const { status, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
  });

  it.each([
    ['while it waits for a response', ['hang']],
    ['while it waits for its second attempt', ['reset', 'reset', 'hang']],
  ] as [string, Fault[]][])('has an unknown outcome if the time is over %s', async (_, faults) => {
    service.proxy.expect(...faults);
    const hurried = await loadFunctions(service, { TIMEOUT_S: '0.8' });
    const { status, body } = await hurried.updateJobStatus();
    expect(status).toBe(503);
    expect(body.outcome_unknown).toBe(true);
  });
});

describe('an update that was throttled before', () => {
  const service = useProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  const throttled = dynamoError(400, 'ThrottlingException');

  it.each([
    ['to the status that it has', { body: { status: 'draft' } }, 200],
    ['by a stale If-Match', { headers: { 'if-match': '"0"' } }, 412],
    ['by a move that is refused', { body: { status: 'closed' } }, 409],
  ])(
    'is answered as if it were the first, %s: it was not done before',
    async (_, request, expected) => {
      await service.table.put(jobItem({}));
      service.proxy.expect(throttled, 'none');
      const { status } = await service.updateJobStatus(request);
      expect(service.proxy.requests).toHaveLength(2);
      expect(status).toBe(expected);
    },
  );

  it('says that nothing was changed if it is throttled every time', async () => {
    service.proxy.expect(throttled);
    const { status, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.detail).toBe(unchanged('database'));
  });

  it('says that nothing was changed if the time is over before the next attempt', async () => {
    service.proxy.expect(throttled, throttled, 'hang');
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.99);
    const hurried = await loadFunctions(service, { TIMEOUT_S: '0.9' });
    const { status, body } = await hurried.updateJobStatus();
    random.mockRestore();
    expect(service.proxy.requests).toHaveLength(1);
    expect(status).toBe(503);
    expect(body.detail).toBe(unchanged('timeLimit'));
  });
});

describe('an update that never reaches the database', () => {
  const service = useProxiedService();

  it('says that nothing was changed', async () => {
    const nowhere = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
    const { updateJobStatus } = await loadFunctions(service, nowhere);
    const { status, body } = await updateJobStatus();
    expect(status).toBe(503);
    expect(body.detail).toBe(unchanged('database'));
  });
});
