import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nowInSeconds } from '../../support/issuer.ts';
import { applicationItem, fullApplication, jobItem } from '../../support/items.ts';
import { type Functions, loadFunctions, startProxiedService } from '../../support/service.ts';
import { byClock } from '../../support/time.ts';

const MINUTE_MS = 60_000;
const DAY_S = 86_400;
const variables = { TRANSITION_POLICY: 'lifecycle' };

interface Wanted {
  job?: string;
  status?: string;
  ifMatch?: string;
}

const outcomes: [string, Wanted, number][] = [
  ['a change', {}, 200],
  ['the status that the job has', { status: 'draft' }, 200],
  ['an unknown job', { job: 'unknown' }, 404],
  ['a stale If-Match', { ifMatch: '"9"' }, 412],
  ['a move that is refused', { status: 'closed' }, 409],
];

const requestOf = ({ job = 'j-1', status = 'published', ifMatch }: Wanted) => ({
  pathParameters: { id: job },
  body: { status },
  headers: { 'if-match': ifMatch },
});

describe('a function', async () => {
  const service = await startProxiedService(variables);
  beforeEach(async () => {
    service.proxy.checksClock = true;
    service.proxy.expect('none');
    await service.table.put(jobItem({}));
  });

  const update = async (functions: Functions, aheadMs: number, wanted: Wanted) => {
    // Valid by all clocks in these tests.
    const token = await service.issuer.mint({ iat: 0, exp: nowInSeconds() + DAY_S });
    return byClock(aheadMs, () => functions.updateJobStatus({ ...requestOf(wanted), token }));
  };

  describe.each([-180, 4, 6])('with a clock that is %i minutes ahead', (minutes) => {
    const aheadMs = minutes * MINUTE_MS;

    it.each(outcomes)(
      'responds to %s as with a correct one, cold and warm',
      async (_, wanted, expected) => {
        const cold = await loadFunctions(service, variables);
        const response = await update(cold, aheadMs, wanted);
        expect(response.status).toBe(expected);
        // DynamoDB rejects a signature more than five minutes off, so a second attempt follows.
        expect(service.proxy.requests).toHaveLength(Math.abs(minutes) > 5 ? 2 : 1);
        await service.table.put(jobItem({}));
        service.proxy.expect('none');
        expect((await update(cold, aheadMs, wanted)).status).toBe(expected);
        expect(service.proxy.requests).toHaveLength(1);
      },
    );
  });

  it("signs links to files by the time of DynamoDB if the process's clock is hours behind", async () => {
    const files = { FILES_BUCKET: 'example-files', FILES_URL: 'https://files.example.com' };
    const functions = await loadFunctions(service, files);
    const resume_url = 's3://example-files/c-1.pdf';
    await service.table.put(applicationItem({}, { ...fullApplication, resume_url }));
    const token = await service.issuer.mint({ iat: 0, exp: nowInSeconds() + DAY_S });
    // Fake timers set back `Date` too, which a signer might read. `byClock` does not.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 180 * MINUTE_MS });
    const { body } = await functions
      .getApplication({ pathParameters: { id: 'j-1', candidate_id: 'c-1' }, token })
      .finally(() => vi.useRealTimers());
    const signedAt = new URL(String(body.resume_url)).searchParams.get('X-Amz-Date') ?? '';
    const iso = signedAt.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
    expect(Math.abs(Date.parse(iso) - Date.now())).toBeLessThan(60 * MINUTE_MS);
  });
});
