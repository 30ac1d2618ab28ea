import { signingKey } from '../../support/issuer.ts';
import type { Person } from './canaries.ts';
import type { Exposed, Exposure } from './exposure.ts';

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The tenant is an e-mail address, the caller too; the client is a telephone number. */
export const claimsOf = (who: Person) => ({
  tenant: who.email,
  sub: who.email,
  client_id: who.phone,
  name: who.name,
  email: who.email,
  phone_number: who.phone,
  picture: who.signedUrl,
  address: { locality: who.place, note: who.summary },
});

/** Credentials that are none, or bad. */
export async function refusedCredentials({ who, issuer }: Exposure): Promise<Exposed[]> {
  const token = (claims: object = {}, header: object = {}) =>
    issuer.mint({ ...claimsOf(who), ...claims }, { ...header });
  const forged = `${base64url({ alg: 'RS256', kid: who.email })}.${base64url(claimsOf(who))}.${base64url(who.secret)}`;
  const invalid = await Promise.all([
    forged,
    `${forged}.${who.secret}`,
    who.email,
    token({ exp: 1 }),
    token({ iss: who.signedUrl }),
    token({ aud: who.email }),
    token({ sub: `${who.name}\n${who.email}` }),
    token({ exp: who.phone }).catch(() => forged),
    token({}, { kid: who.email }),
    token({}, { typ: who.name, jku: who.signedUrl, x5u: who.signedUrl }),
    issuer.mint(claimsOf(who), {}, { ...(await signingKey()), kid: issuer.key.kid }),
    token({ note: who.summary.repeat(200) }),
  ]);
  const basic = Buffer.from(`${who.email}:${who.secret}`).toString('base64');
  return [
    { outcome: 'unauthenticated', request: { token: undefined } },
    { outcome: 'unauthenticated', request: { headers: { authorization: `Basic ${basic}` } } },
    { outcome: 'unauthenticated', request: { headers: { authorization: who.secret } } },
    ...invalid.map(
      (refused): Exposed => ({ outcome: 'invalid_token', request: { token: refused } }),
    ),
    {
      outcome: 'insufficient_scope',
      request: { token: await token({ scope: `${who.name} ${who.email}` }) },
    },
    { outcome: 'no_tenant', request: { token: await token({ tenant: `${who.name}\n` }) } },
    { outcome: 'no_tenant', request: { token: await token({ tenant: [who.email] }) } },
  ];
}
