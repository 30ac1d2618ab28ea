import { beforeAll, describe, expect, it } from 'vitest';
import type { TestRequest } from '../../support/invoke.ts';
import { applicationItem } from '../../support/items.ts';
import { problemBody } from '../../support/problem.ts';
import { functionNames, loadFunctions, useService } from '../../support/service.ts';

const LIMIT_BYTES = 8192;

describe('the credentials', () => {
  const service = useService();
  beforeAll(() => service.table.put(applicationItem({})));

  /** A request with this Authorization header alone. */
  const withHeader = (authorization: string, name = 'authorization'): TestRequest => ({
    token: undefined,
    headers: { [name]: authorization },
  });

  it.each<[string, TestRequest]>([
    ['no Authorization header', { token: undefined }],
    ['another scheme', withHeader('Basic dXNlcjpwYXNz')],
    ['a scheme that begins with Bearer', withHeader('BearerX token')],
    ['a scheme that ends with Bearer', withHeader('XBearer token')],
    ['a line break in the token', withHeader('Bearer to\nken')],
    ['the scheme alone', withHeader('Bearer')],
    ['the scheme and a space', withHeader('Bearer ')],
    ['an empty header', withHeader('')],
    ['a token in a query or a body alone', { token: undefined, body: { access_token: 'a.b.c' } }],
  ])('are missing if the request has %s: 401 without an error code', async (_, request) => {
    for (const name of functionNames) {
      const { status, headers, body } = await service[name](request);
      expect(status).toBe(401);
      expect(headers['WWW-Authenticate']).toBe('Bearer realm="recruitment"');
      expect(headers['Content-Type']).toBe('application/problem+json');
      expect(body).toEqual(problemBody('unauthenticated'));
    }
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('may name the scheme as %s', async (scheme) => {
    const request = withHeader(`${scheme} ${await service.issuer.mint()}`);
    expect((await service.getApplication(request)).status).toBe(200);
  });

  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    'may stand in the header %s',
    async (name) => {
      const request = withHeader(`Bearer ${await service.issuer.mint()}`, name);
      expect((await service.getApplication(request)).status).toBe(200);
    },
  );

  it('may stand after several spaces', async () => {
    const request = withHeader(`Bearer   ${await service.issuer.mint()}`);
    expect((await service.getApplication(request)).status).toBe(200);
  });

  it.each(['x', 'a.b.c', '..', 'a.b', 'Bearer a.b.c', 'é', 'null'])(
    'are bad if the token is %j: 401 invalid_token',
    async (token) => {
      const { status, headers, body, text } = await service.getApplication({ token });
      expect(status).toBe(401);
      expect(headers['WWW-Authenticate']).toBe('Bearer realm="recruitment", error="invalid_token"');
      expect(body).toEqual(problemBody('invalid_token'));
      if (token.includes('.')) expect(text).not.toContain(token);
    },
  );

  /** A good token of exactly this length: padding in its claims alone cannot make every length. */
  async function tokenOf(length: number): Promise<string> {
    const padded = (claims: number, header: number) =>
      service.issuer.mint({ padding: 'x'.repeat(claims) }, { padding: 'x'.repeat(header) });
    const missing = length - (await padded(0, 0)).length;
    const enough = Math.floor((missing * 3) / 4);
    for (const header of [0, 1, 2]) {
      for (const claims of [enough - 2, enough - 1, enough]) {
        const token = await padded(claims, header);
        if (token.length === length) return token;
      }
    }
    throw new Error(`There is no token of ${length} bytes.`);
  }

  it('may be of 8192 bytes', async () => {
    const longest = await tokenOf(LIMIT_BYTES);
    expect((await service.getApplication({ token: longest })).status).toBe(200);
  });

  it('of more than 8192 bytes are refused before any cryptography', async () => {
    const cold = await loadFunctions(service);
    const token = await tokenOf(LIMIT_BYTES + 1);
    const before = service.issuer.requests.length;
    const { status, headers, body } = await cold.getApplication({ token });
    expect(status).toBe(401);
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="recruitment", error="invalid_token"');
    expect(body).toEqual(problemBody('invalid_token'));
    expect(service.issuer.requests.length).toBe(before);
  });
});
