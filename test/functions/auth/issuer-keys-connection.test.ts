import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchIssuerKeys } from '../../../functions/auth/issuer-keys.ts';
import { TestIssuer } from '../../support/issuer.ts';

/** Longer than the runner waits for a test. */
const PATIENT_MS = 600_000;

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
    const { keys } = await fetchIssuerKeys(issuer.url, undefined, PATIENT_MS);
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
    const address = `${issuer.url}/jwks`;
    await expect(fetchIssuerKeys(issuer.url, address, PATIENT_MS)).rejects.toThrow('answered 500');
    // Long before the time limit, which would close it too.
    expect(await closed).toBe('closed');
  });
});
