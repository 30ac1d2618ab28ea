import { beforeEach, describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { jobKey } from '../../../functions/store/keys.ts';
import { dynamoError } from '../../support/faults.ts';
import { jobItem } from '../../support/items.ts';
import { useProxiedService } from '../../support/service.ts';

describe('an answer that does not say what was written', () => {
  const service = useProxiedService();

  it.each([
    ['is empty', '{}'],
    ['has no version', '{"Attributes":{}}'],
    ['has half a version', '{"Attributes":{"version":{"N":"1.5"}}}'],
    ['has a word for a version', '{"Attributes":{"version":{"S":"2"}}}'],
  ])('is no success where it %s', async (_, answer) => {
    await service.table.put(jobItem({}));
    service.proxy.expect({ status: 200, body: answer });
    const { status, headers, body } = await service.updateJobStatus();
    expect(status).toBe(503);
    expect(body.detail).toBe(problemTypes.unavailable.detail.outcomeUnknown);
    expect(headers).not.toHaveProperty('ETag');
  });
});

describe('an update whose answer was lost', () => {
  const service = useProxiedService({ TRANSITION_POLICY: 'lifecycle' });
  const stored = () => service.table.read(jobKey('default', 'j-1'));
  const sent = () => service.proxy.requests.map(({ operation }) => operation);
  beforeEach(() => service.table.put(jobItem({})));

  it('is sent again by the SDK and is one change', async () => {
    service.proxy.expect('answer lost', 'none');
    const { status, headers, body } = await service.updateJobStatus({ invocationId: 'change-1' });
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

  it('is one change where two answers were lost', async () => {
    service.proxy.expect('answer lost', 'answer lost', 'none');
    const { status, headers } = await service.updateJobStatus();
    expect(sent()).toHaveLength(3);
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"2"');
  });

  it('is not refused because of its own earlier write by If-Match', async () => {
    service.proxy.expect('answer lost', 'none');
    const { status, headers } = await service.updateJobStatus({ headers: { 'if-match': '"1"' } });
    expect(sent()).toHaveLength(2);
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"2"');
    expect((await stored())?.version).toBe(2);
  });

  it('that never arrived is made when it is sent again', async () => {
    service.proxy.expect('reset', 'none');
    const { status, headers } = await service.updateJobStatus({ headers: { 'if-match': '"1"' } });
    expect(sent()).toHaveLength(2);
    expect(status).toBe(200);
    expect(headers.ETag).toBe('"2"');
  });

  it('says that it does not know where it was refused after that, and the client may ask again', async () => {
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

  it('is not made again by a first sending that arrives after another has changed the job', async () => {
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
        status_changed_at: new Date().toISOString(),
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

  it('is safe for the client to send again where no answer came at all', async () => {
    service.proxy.expect('answer lost');
    const lost = await service.updateJobStatus();
    expect(sent()).toHaveLength(3);
    expect(lost.status).toBe(503);
    expect(lost.headers['Retry-After']).toBe('1');
    service.proxy.expect('none');
    const again = await service.updateJobStatus();
    expect(again.status).toBe(200);
    expect(again.headers.ETag).toBe('"2"');
    expect((await stored())?.version).toBe(2);
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

  it('and lost after that says that it does not know', async () => {
    await service.table.put(jobItem({}));
    service.proxy.expect(throttled, 'reset', 'none');
    const { status } = await service.updateJobStatus({ headers: { 'if-match': '"0"' } });
    expect(service.proxy.requests).toHaveLength(3);
    expect(status).toBe(503);
  });
});
