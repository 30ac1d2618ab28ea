import { describe, expect, it } from 'vitest';
import { useSmokeCommand } from '../../../support/smoke-command.ts';
import type { PassingAnswer } from '../../../support/spoiling-proxy.ts';

const smoke = useSmokeCommand();

describe('npm run smoke, interrupted', () => {
  const hangingAt = (isThere: (answer: PassingAnswer) => boolean) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    smoke.proxy.spoil = (answer) => {
      if (!isThere(answer)) return undefined;
      resolve();
      return 'hang';
    };
    return promise;
  };

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s: removes what it made, and fails',
    async (signal) => {
      const halfWay = hangingAt(({ method, status }) => method === 'PATCH' && status === 200);
      const { child, ended } = await smoke.start();
      await halfWay;
      expect(await smoke.left()).toHaveLength(2);
      child.kill(signal);
      const { exitCode, out, err } = await ended;
      expect(out).toContain('sets another status: given up');
      expect(out).not.toContain('stale If-Match');
      expect([exitCode, err]).toEqual([1, `The smoke test has not ended: stopped by ${signal}.\n`]);
      expect(await smoke.left()).toEqual([]);
    },
  );

  it('leaves what DynamoDB removes within the hour where it is killed', async () => {
    const begun = hangingAt(() => true);
    const { child, ended } = await smoke.start();
    await begun;
    child.kill('SIGKILL');
    await ended;
    const items = await smoke.left();
    expect(items).toHaveLength(2);
    for (const { expires_at: end } of items) {
      expect(Number(end) - Date.now() / 1000).toBeGreaterThan(3500);
      expect(Number(end) - Date.now() / 1000).toBeLessThanOrEqual(3600);
    }
  });
});
