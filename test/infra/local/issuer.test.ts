import { describe, expect, it } from 'vitest';
import { startIssuer } from '../../../infra/local/issuer.ts';

describe('the local issuer', () => {
  it('takes a free port if the one that it is given is in use', async () => {
    const one = await startIssuer(0);
    const other = await startIssuer(Number(new URL(one.url).port));
    expect(other.url).not.toBe(one.url);
    for (const { url, tokenEndpoint, stop } of [one, other]) {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const response = await fetch(tokenEndpoint, { method: 'POST', body });
      const { access_token: token } = (await response.json()) as { access_token: string };
      const [, claims = ''] = token.split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: url });
      await stop();
    }
  });
});
