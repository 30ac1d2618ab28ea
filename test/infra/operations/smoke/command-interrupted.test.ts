import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../../infra/cli/signals.ts';
import { environment, start } from '../../../support/operator-command.ts';
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

  it('makes no further check, removes what it wrote, and fails', async () => {
    const halfWay = hangingAt(({ method, status }) => method === 'PATCH' && status === 200);
    const controller = new AbortController();
    const ended = smoke.run(undefined, { signal: controller.signal });
    await halfWay;
    expect(await smoke.left()).toHaveLength(2);
    controller.abort(new Interrupted('SIGINT'));
    const { exitCode, out, err } = await ended;
    expect(out).toMatch(/changes the status: aborted\n$/);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('SIGINT')]);
    expect(await smoke.left()).toEqual([]);
  });

  it('leaves items that DynamoDB removes within the hour if it is killed', async () => {
    const begun = hangingAt(() => true);
    const env = { ...environment(), TOKEN: await smoke.service.issuer.mint() };
    const child = start('operations/smoke/command', smoke.args(), { env });
    await begun;
    child.kill('SIGKILL');
    await once(child, 'close');
    const items = await smoke.left();
    expect(items).toHaveLength(2);
    for (const { expires_at: end } of items) {
      expect(Number(end) - Date.now() / 1000).toBeGreaterThan(3000);
      expect(Number(end) - Date.now() / 1000).toBeLessThanOrEqual(3600);
    }
  });
});
