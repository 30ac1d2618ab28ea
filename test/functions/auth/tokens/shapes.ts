import { CompactEncrypt, importJWK } from 'jose';
import { handMade, part, seal } from './jws.ts';
import { accepted, type Row, refused, unseen } from './row.ts';
import { headerOf, own, type Setup, signed } from './setup.ts';

const LIMIT_BYTES = 8192;
const THREE_DOTS = /\./g;

/** A proper token, its text changed. */
const changed = async ({ issuer }: Setup, change: (text: string) => string) =>
  change(await issuer.mint());

const partsOf = async ({ issuer }: Setup) => {
  const [header = '', payload = '', signature = ''] = (await issuer.mint()).split('.');
  return { protected: header, payload, signature };
};

/** A good token of just so many bytes. */
export async function ofLength({ issuer }: Setup, length: number): Promise<string> {
  const bare = (await issuer.mint({ padding: '' })).length;
  const padding = Math.floor(((length - bare) * 3) / 4);
  // Three bytes are four characters, so that not every length can be had by the claims alone.
  for (let more = -16; more < 6; more += 1) {
    for (const cty of ['', 'x', 'xx', 'xxx', 'xxxx']) {
      const claims = { padding: 'x'.repeat(padding + more) };
      const token = await issuer.mint(claims, cty === '' ? {} : { cty });
      if (token.length === length) return token;
    }
  }
  throw new Error(`There is no token of ${length} bytes.`);
}

async function encrypted({ issuer, encryption, rsa }: Setup, key = encryption): Promise<string> {
  const { kty = '', n = '', e = '' } = key.jwk;
  const recipient = await importJWK({ kty, n, e }, 'RSA-OAEP-256');
  const kid = key === rsa ? rsa.kid : 'encryption';
  return new CompactEncrypt(Buffer.from(await issuer.mint()))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid, cty: 'JWT' })
    .encrypt(recipient);
}

const headerText = ({ issuer }: Setup) => JSON.stringify(headerOf(issuer.key));

/** Contents that are not an object, or not JSON; bytes that are no UTF-8. */
const contents: [string, unknown][] = [
  ['null', 'null'],
  ['a number', '7'],
  ['a string', '"claims"'],
  ['a list', '[{}]'],
  ['empty', ''],
  ['not JSON', '{"alg":'],
  ['JSON with something after it', '{"alg":"ES256"} {}'],
  ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"alg":"ES256"}', 'utf16le')],
];

/** Texts that are not the three parts of a signed token, and some unusual ones that are. */
export const shapes: Row[] = [
  accepted('is of exactly 8192 bytes', 'that is the limit', (setup) =>
    ofLength(setup, LIMIT_BYTES),
  ),
  refused('is of 8193 bytes', (setup) => ofLength(setup, LIMIT_BYTES + 1)),
  refused('is of 8192 characters and more bytes', (setup) =>
    changed(setup, (text) => `${text}.`.padEnd(LIMIT_BYTES, 'é')),
  ),
  refused('is of a million bytes', (setup) =>
    changed(setup, (text) => text.padEnd(1_000_000, 'A')),
  ),
  accepted('has spaces in the JSON of its header', 'it is signed so', (setup) =>
    signed(setup, ` ${headerText(setup).replaceAll(',', ' ,\n')} `, setup.issuer.claims()),
  ),
  accepted('holds 1000 lists in each other', 'it is signed so, and they are not read', (setup) =>
    signed(setup, headerText(setup), {
      ...setup.issuer.claims(),
      deep: JSON.parse('['.repeat(1000) + ']'.repeat(1000)),
    }),
  ),
  refused('has claims in base64url that are padded, and signed so', ({ issuer }) => {
    const text = JSON.stringify(issuer.claims());
    const payload = part(text.padEnd(text.length + ((4 - (text.length % 3)) % 3)));
    return seal(
      part(headerOf(issuer.key)),
      payload.padEnd(Math.ceil(payload.length / 4) * 4, '='),
      own(issuer),
    );
  }),
  refused('has claims in base64 of the other alphabet', ({ issuer }) => {
    const text = JSON.stringify(issuer.claims({ marks: '>>>???~~~ÿÿÿ' }));
    return seal(part(headerOf(issuer.key)), Buffer.from(text).toString('base64'), own(issuer));
  }),
  refused('has claims in base64url with bits left over that were not signed', (setup) =>
    changed(setup, (text) => text.replace(/\.([^.]*)\./, (_, payload) => `.${payload}A.`)),
  ),
  refused('has claims that are padded after the signature', (setup) =>
    changed(setup, (text) => text.replace(/\.([^.]*)\./, '.$1=.')),
  ),
  refused('has no signature', (setup) => changed(setup, (text) => text.replace(/\.[^.]*$/, ''))),
  refused('is its claims alone', async (setup) => (await partsOf(setup)).payload),
  refused('has a fourth part', (setup) => changed(setup, (text) => `${text}.${part('more')}`)),
  refused('has a fourth part that is empty', (setup) => changed(setup, (text) => `${text}.`)),
  refused('has an empty part before it', (setup) => changed(setup, (text) => `.${text}`)),
  refused('is two dots', () => '..'),
  refused('is encrypted for the issuer', (setup) => encrypted(setup)),
  refused("is encrypted with the key that verifies the issuer's", (setup) =>
    encrypted(setup, setup.rsa),
  ),
  refused('has five parts', (setup) =>
    changed(setup, (text) => `${text}.${part('a')}.${part('b')}`),
  ),
  refused('is a flattened JWS in JSON', async (setup) => JSON.stringify(await partsOf(setup))),
  refused('is a general JWS in JSON', async (setup) => {
    const { payload, ...signature } = await partsOf(setup);
    return JSON.stringify({ payload, signatures: [signature] });
  }),
  refused('is a flattened JWS in JSON in base64url', async (setup) => part(await partsOf(setup))),
  refused('is in quotation marks', (setup) => changed(setup, (text) => `"${text}"`)),
  refused('is in angle brackets', (setup) => changed(setup, (text) => `<${text}>`)),
  refused('has dots that are percent-encoded', (setup) =>
    changed(setup, (text) => text.replace(THREE_DOTS, '%2E')),
  ),
  refused('has dots of another script', (setup) =>
    changed(setup, (text) => text.replace(THREE_DOTS, '。')),
  ),
  refused('ends with a null character', (setup) => changed(setup, (text) => `${text}\u0000`)),
  unseen('begins with a mark of byte order, which is white space to JavaScript', (setup) =>
    changed(setup, (text) => `\ufeff${text}`),
  ),
  refused('is of emoji', () => '🔑.🔑.🔑'),
  refused('is half a character', () => '\ud83d'),
  refused('is the word null', () => 'null'),
  ...contents.map(([what, content]) =>
    refused(`has a header that is ${what}`, (setup) =>
      signed(setup, content, setup.issuer.claims()),
    ),
  ),
  ...contents.map(([what, content]) =>
    refused(`has claims that are ${what}`, ({ issuer }) =>
      handMade(headerOf(issuer.key), content, own(issuer)),
    ),
  ),
];
