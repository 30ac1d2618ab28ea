import { describe, expect, it } from 'vitest';
import { jobKey } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { jobItem } from '../../support/items.ts';
import { startService } from '../../support/service.ts';

describe('the policy "lifecycle"', async () => {
  const service = await startService({ TRANSITION_POLICY: 'lifecycle' });

  async function move(from: string, to: string, headers = {}) {
    await service.table.put(jobItem({}, { status: from }));
    const response = await service.updateJobStatus({ body: { status: to }, headers });
    return { response, job: await service.table.read(jobKey('default', 'j-1')) };
  }

  it('rejects that a draft becomes closed, and says what it may become', async () => {
    const { response, job } = await move('draft', 'closed', { 'if-match': '"1"' });
    expect(response.status).toBe(409);
    expect(response.headers).not.toHaveProperty('ETag');
    expect(response.body).toEqual(
      problemBody('transition_refused', {
        detail: 'A job with the status draft cannot move to closed.',
        current_status: 'draft',
        allowed_transitions: ['published', 'archived'],
      }),
    );
    expect(job).toEqual(jobItem({}, { status: 'draft' }));
  });

  it('leaves a job that has the status, and is asked after If-Match', async () => {
    const { response, job } = await move('archived', 'archived');
    expect(response.status).toBe(200);
    expect(job).toEqual(jobItem({}, { status: 'archived' }));
    expect((await move('draft', 'closed', { 'if-match': '"9"' })).response.status).toBe(412);
  });
});
