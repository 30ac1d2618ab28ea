import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SigningKey, signingKey } from '../support/issuer.ts';
import { applicationItem } from '../support/items.ts';
import { type Functions, loadFunctions, useService } from '../support/service.ts';
import { sleep, useTestClock } from './outage/setup.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the keys of an issuer come and go:', () => {
  const service = useService();
  let functions: Functions;
  let added: SigningKey;
  beforeAll(async () => {
    useTestClock();
    await service.table.put(applicationItem({}));
  });
  beforeEach(async () => {
    added = await signingKey('RS256');
    await begin([service.issuer.key]);
  });
  afterAll(() => vi.useRealTimers());

  /** Starts the functions while the issuer has these keys. */
  async function begin(keys: readonly SigningKey[]): Promise<void> {
    service.issuer.published = keys.map(({ jwk }) => jwk);
    functions = await loadFunctions(service);
  }

  /** What both functions answer to a token that this key signs now. */
  async function answers(key: SigningKey = service.issuer.key) {
    const token = await service.issuer.mint({}, {}, key);
    const both = [
      await functions.getApplication({ token }),
      await functions.updateJobStatus({ token }),
    ];
    return both.map(({ status, body }) => body.code ?? status);
  }

  const refused = ['invalid_token', 'invalid_token'];
  // There is no job, because the SDK distrusts a clock that jumps, and resends what was refused.
  const accepted = [200, 'job_not_found'];

  it('a removed key is refused once the keys are ten minutes old', async () => {
    await begin([service.issuer.key, added]);
    expect(await answers(added)).toEqual(accepted);
    service.issuer.published = [service.issuer.key.jwk];
    sleep(10 * MINUTE - 1);
    expect(await answers(added)).toEqual(accepted);
    sleep(1);
    expect(await answers(added)).toEqual(refused);
    expect(await answers()).toEqual(accepted);
  });

  it('a removed key is refused as soon as a token of a new key has the keys fetched', async () => {
    expect(await answers()).toEqual(accepted);
    service.issuer.published = [added.jwk];
    sleep(MINUTE);
    expect(await answers()).toEqual(accepted);
    expect(await answers(added)).toEqual(accepted);
    expect(await answers()).toEqual(refused);
  });

  it('an added key is accepted without a restart', async () => {
    expect(await answers()).toEqual(accepted);
    sleep(10 * SECOND);
    service.issuer.published.push(added.jwk);
    expect(await answers(added)).toEqual(accepted);
    expect(await answers()).toEqual(accepted);
  });

  it('a key that is used before it is published is refused for ten seconds at most', async () => {
    expect(await answers()).toEqual(accepted);
    service.issuer.published.push(added.jwk);
    sleep(10 * SECOND - 1);
    expect(await answers(added)).toEqual(refused);
    sleep(1);
    expect(await answers(added)).toEqual(accepted);
  });

  it('a key that comes back is accepted again', async () => {
    await begin([added]);
    expect(await answers()).toEqual(refused);
    service.issuer.published = [service.issuer.key.jwk, added.jwk];
    sleep(10 * SECOND);
    expect(await answers()).toEqual(accepted);
  });
});
