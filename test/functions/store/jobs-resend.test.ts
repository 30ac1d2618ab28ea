import { beforeEach, describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { jobItem } from '../../support/items.ts';
import { useProxiedService } from '../../support/service.ts';

describe('an answer that does not say what was written', () => {
  const service = useProxiedService();

  it('is no success', async () => {
    await service.table.put(jobItem({}));
    service.proxy.expect({ status: 200, body: '{}' });
    const { status, headers } = await service.updateJobStatus();
    expect(status).toBe(503);
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

  it('is refused as stale where it was stale at first', async () => {
    service.proxy.expect('answer lost', 'none');
    const { status } = await service.updateJobStatus({ headers: { 'if-match': '"7"' } });
    expect(sent()).toHaveLength(2);
    expect(status).toBe(412);
    expect((await stored())?.version).toBe(1);
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
