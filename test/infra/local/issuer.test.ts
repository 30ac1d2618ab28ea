import { expect, it } from 'vitest';
import { startIssuer } from '../../../infra/local/issuer.ts';

it('the local issuer takes a free port if the one that it is given is in use', async () => {
  const one = await startIssuer(0);
  const other = await startIssuer(Number(new URL(one.url).port));
  expect(other.url).not.toBe(one.url);
  await Promise.all([one.stop(), other.stop()]);
});
