import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { TestIssuer } from '../../support/issuer.ts';

describe('the connection to an issuer', () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await TestIssuer.start();
  });
  afterAll(() => issuer.stop());

  it('asks for JSON, not compressed, and is not kept', async () => {
    issuer.behaviour = (response, _, text) => {
      const { accept, connection, 'accept-encoding': encoding } = response.req.headers;
      const asked = [accept, encoding, connection].join();
      response.end(asked === 'application/json,identity,close' ? text : '<html>');
    };
    const { keys } = await fetchIssuerKeys(issuer.url, undefined);
    expect(keys).toHaveLength(1);
  });

  it('is closed as soon as the answer is refused, though the answer goes on', async () => {
    const closed = new Promise((resolve) => {
      issuer.behaviour = (response) => {
        response.socket?.once('close', () => resolve('closed'));
        response.writeHead(500);
        response.write('<html>');
      };
    });
    await expect(fetchIssuerKeys(issuer.url, `${issuer.url}/jwks`)).rejects.toThrow('answered 500');
    // The time-out of the fetch, a second, would close it too.
    expect(await Promise.race([closed, setTimeout(700, 'open')])).toBe('closed');
  });
});
