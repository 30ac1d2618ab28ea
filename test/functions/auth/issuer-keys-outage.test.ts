import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour } from '../../support/issuer.ts';
import { applicationItem, jobItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { loadFunctions, useService } from '../../support/service.ts';

const behaviours: Behaviour[] = ['down', 'slow', 'error', 'garbage', 'empty', 'redirect', 'huge'];
const unavailable = problemBody('unavailable');

describe('while the issuer', () => {
  const service = useService({}, ['issuer']);
  beforeAll(async () => {
    await service.table.put(applicationItem({}));
    await service.table.put(jobItem({}));
  });
  beforeEach(() => {
    service.issuer.behaviour = 'up';
  });

  it.each(behaviours)('is %s, the answer is 503 and never 401', async (behaviour) => {
    service.issuer.behaviour = behaviour;
    const cold = await loadFunctions(service);
    const answers = await Promise.all(Object.values(cold).map((call) => call()));
    for (const { status, headers, body } of answers) {
      expect(status).toBe(503);
      expect(headers['Retry-After']).toBe('1');
      expect(headers).not.toHaveProperty('WWW-Authenticate');
      expect(body).toEqual(unavailable);
    }
    const [first = {}, ...others] = service.log.lines;
    expect(first).toMatchObject({ failure: { cause: { stack: expect.any(Array) } } });
    expect([first, ...others]).toMatchObject(
      answers.map(() => ({ level: 'WARN', outcome: 'unavailable' })),
    );
  });

  it('is down, an environment that has its keys goes on', async () => {
    const warm = await loadFunctions(service);
    expect((await warm.getApplication()).status).toBe(200);
    service.issuer.behaviour = 'down';
    expect((await warm.getApplication()).status).toBe(200);
  });

  it('is down, a request without credentials is told so', async () => {
    service.issuer.behaviour = 'down';
    const cold = await loadFunctions(service);
    expect((await cold.getApplication({ token: undefined })).status).toBe(401);
  });

  it('is up at the address of the keys alone, that address suffices', async () => {
    const { discovery } = service.issuer;
    service.issuer.discovery = {};
    const cold = await loadFunctions(service, { JWKS_URI: `${service.issuer.url}/jwks` });
    expect((await cold.getApplication()).status).toBe(200);
    service.issuer.discovery = discovery;
  });
});
