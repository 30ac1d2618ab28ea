import { type Row, rows, rowsOf, type Setup, tokenOf } from './token.ts';

/** A request whose Authorization header is made of a good token. */
const headers = (
  expected: Row['expected'],
  table: Readonly<Record<string, (token: string) => string>>,
) =>
  Object.entries(table).flatMap(([name, write]) =>
    rows(expected, {
      [name]: (setup) => ({ request: { headers: { authorization: write(tokenOf(setup)) } } }),
    }),
  );

/** A request without such a header, whose good token stands elsewhere. */
const elsewhere = (place: (token: string) => object) => (setup: Setup) => ({
  request: place(tokenOf(setup)),
});

const fixed = (authorization: string) => ({ request: { headers: { authorization } } });

/** Places of a token in a request: only the header counts (RFC 6750, section 2). */
export const credentials: Row[] = [
  ...headers(
    {},
    {
      'follows the scheme bearer, in any case (RFC 9110)': (token) => `bearer ${token}`,
      'follows the scheme BEARER': (token) => `BEARER ${token}`,
      'follows the scheme bEaReR': (token) => `bEaReR ${token}`,
      'follows its scheme after two spaces': (token) => `Bearer  ${token}`,
    },
  ),
  ...headers('unauthenticated', {
    'is of the scheme Basic': (token) => `Basic ${btoa(`user:${token}`)}`,
    'is of the scheme DPoP': (token) => `DPoP ${token}`,
    'is of the scheme Token': (token) => `Token ${token}`,
    'is of a scheme that begins with Bearer': (token) => `BearerX ${token}`,
    'is of a scheme that ends with Bearer': (token) => `XBearer ${token}`,
    'is of a scheme with a letter of another script': (token) => `Be\u0430rer ${token}`,
    'has no scheme': (token) => token,
    'follows its scheme without a space': (token) => `Bearer${token}`,
    'follows its scheme after a colon': (token) => `Bearer: ${token}`,
    'follows its scheme after an equals sign': (token) => `Bearer=${token}`,
    'follows its scheme after a tab': (token) => `Bearer\t${token}`,
    'follows its scheme after a space and a tab': (token) => `Bearer \t${token}`,
    'follows its scheme after a space that does not break': (token) => `Bearer\u00a0${token}`,
    'follows its scheme after a line break': (token) => `Bearer\r\n ${token}`,
    'follows a header of another scheme, joined by a comma': (token) =>
      `Basic eDp5,Bearer ${token}`,
    'is before a line break': (token) => `Bearer ${token}\nX-Other: 1`,
    'has a line break in it': (token) => `Bearer ${token.slice(0, 9)}\n${token.slice(9)}`,
    'follows a mark of byte order, white space to JavaScript': (token) => `Bearer \ufeff${token}`,
  }),
  ...rows('unauthenticated', {
    'is not there': { request: {} },
    'is in a request without headers': { request: { headers: undefined } },
    'is empty': fixed('Bearer '),
    'is only a scheme': fixed('Bearer'),
    'is of spaces': fixed('Bearer      '),
    'is of 8000 spaces': fixed(`Bearer${' '.repeat(8000)}`),
    'has a header that is empty': fixed(''),
    'is in the query string': elsewhere((token) => ({ rawQueryString: `access_token=${token}` })),
    'is in a cookie': elsewhere((token) => ({
      cookies: [`access_token=${token}`],
      headers: { cookie: `access_token=${token}; Authorization=Bearer ${token}` },
    })),
    'is in the body': elsewhere((token) => ({ body: { access_token: token } })),
    'is in a form': elsewhere((token) => ({ body: `access_token=${token}` })),
  }),
  ...rowsOf(
    'unauthenticated',
    'is in the header',
    ['proxy-authorization', 'x-authorization', 'x-access-token', 'x-amzn-oidc-data'],
    (name, setup) => ({ request: { headers: { [name]: `Bearer ${tokenOf(setup)}` } } }),
  ),
  ...headers('unverified', {
    'has spaces after it': (token) => `Bearer ${token}  `,
    'is there twice, joined by a comma': (token) => `Bearer ${token},Bearer ${token}`,
    'is followed by another scheme': (token) => `Bearer ${token}, Basic dXNlcjpwYXNz`,
    'follows another token': (token) => `Bearer a.b.c ${token}`,
    'follows its scheme twice': (token) => `Bearer Bearer ${token}`,
    'is the value of a parameter': (token) => `Bearer token="${token}"`,
  }),
];
