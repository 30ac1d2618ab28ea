import type { TestRequest } from '../../../support/invoke.ts';
import { accepted, type Row, refused, unseen } from './row.ts';
import type { Setup } from './setup.ts';

/** A request whose Authorization header is made of a good token. */
const withHeader = (write: (token: string) => string) => async (setup: Setup) => ({
  headers: { authorization: write(await setup.issuer.mint()) },
});

/** A request without an Authorization header, whose good token stands elsewhere. */
const elsewhere = (place: (token: string) => TestRequest) => async (setup: Setup) =>
  place(await setup.issuer.mint());

const ANY_CASE = 'RFC 9110 has schemes in any case';

const present: Record<string, (token: string) => string> = {
  'is of the scheme Basic': (token) => `Basic ${Buffer.from(`user:${token}`).toString('base64')}`,
  'is of the scheme DPoP': (token) => `DPoP ${token}`,
  'is of the scheme Token': (token) => `Token ${token}`,
  'is of a scheme that begins with Bearer': (token) => `BearerX ${token}`,
  'is of a scheme that ends with Bearer': (token) => `XBearer ${token}`,
  'is of the scheme Bearer with a letter of another script': (token) => `Be\u0430rer ${token}`,
  'has no scheme': (token) => token,
  'follows its scheme without a space': (token) => `Bearer${token}`,
  'follows its scheme after a colon': (token) => `Bearer: ${token}`,
  'follows its scheme after an equals sign': (token) => `Bearer=${token}`,
  'follows its scheme after a tab': (token) => `Bearer\t${token}`,
  'follows its scheme after a space and a tab': (token) => `Bearer \t${token}`,
  'follows its scheme after a space that does not break': (token) => `Bearer\u00a0${token}`,
  'follows its scheme after a line break': (token) => `Bearer\r\n ${token}`,
  'follows a header of another scheme, which API Gateway joins by a comma': (token) =>
    `Basic dXNlcjpwYXNz,Bearer ${token}`,
  'is before a line break': (token) => `Bearer ${token}\nX-Other: 1`,
};

/** Places of a token in a request: only the header counts (RFC 6750, section 2). */
export const credentials: Row[] = [
  ...['bearer', 'BEARER', 'bEaReR'].map((scheme) =>
    accepted(
      `follows the scheme ${scheme}`,
      ANY_CASE,
      withHeader((token) => `${scheme} ${token}`),
    ),
  ),
  ...['Authorization', 'AUTHORIZATION'].map((name) =>
    accepted(`is in the header ${name}`, 'names of headers are in any case', async (setup) => ({
      headers: { [name]: `Bearer ${await setup.issuer.mint()}` },
    })),
  ),
  accepted(
    'follows its scheme after two spaces',
    'RFC 9110 allows one or more',
    withHeader((token) => `Bearer  ${token}`),
  ),
  refused(
    'has spaces after it, which no HTTP server leaves there',
    withHeader((token) => `Bearer ${token}  `),
  ),
  unseen('is not there', () => ({})),
  unseen('is empty', () => ({ headers: { authorization: 'Bearer ' } })),
  unseen('is of spaces', () => ({ headers: { authorization: 'Bearer      ' } })),
  unseen('is of 8000 spaces', () => ({ headers: { authorization: `Bearer${' '.repeat(8000)}` } })),
  unseen('has a header that is empty', () => ({ headers: { authorization: '' } })),
  ...Object.entries(present).map(([name, write]) => unseen(name, withHeader(write))),
  unseen(
    'is in the query string alone',
    elsewhere((token) => ({ query: `access_token=${token}` })),
  ),
  unseen(
    'is in a cookie alone',
    elsewhere((token) => ({
      cookies: [`access_token=${token}`],
      headers: { cookie: `access_token=${token}; Authorization=Bearer ${token}` },
    })),
  ),
  unseen(
    'is in the body alone',
    elsewhere((token) => ({ body: { access_token: token } })),
  ),
  unseen(
    'is in a form alone',
    elsewhere((token) => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    })),
  ),
  ...['proxy-authorization', 'x-authorization', 'x-access-token', 'x-amzn-oidc-data'].map((name) =>
    unseen(`is in the header ${name}`, async (setup) => ({
      headers: { [name]: `Bearer ${await setup.issuer.mint()}` },
    })),
  ),
  refused(
    'is there twice, which API Gateway joins by a comma',
    withHeader((token) => `Bearer ${token},Bearer ${token}`),
  ),
  refused(
    'is followed by another scheme',
    withHeader((token) => `Bearer ${token}, Basic dXNlcjpwYXNz`),
  ),
  refused(
    'follows another token',
    withHeader((token) => `Bearer a.b.c ${token}`),
  ),
  refused(
    'follows its scheme twice',
    withHeader((token) => `Bearer Bearer ${token}`),
  ),
  refused(
    'is the value of a parameter',
    withHeader((token) => `Bearer token="${token}"`),
  ),
];
