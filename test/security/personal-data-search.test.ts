import { describe, expect, it } from 'vitest';
import { TestIssuer } from '../support/issuer.ts';
import { applicationOf, partsOf, person, tracesOf } from './personal-data/canaries.ts';

const who = person(7);
const base64 = (text: string) => Buffer.from(text).toString('base64');

const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in JSON': (text) => JSON.stringify({ detail: text }),
  'in JSON in JSON': (text) => JSON.stringify({ body: JSON.stringify({ detail: text }) }),
  'in a URL': (text) => `https://example.com/?q=${encodeURIComponent(text)}&r`,
  'in a form': (text) => new URLSearchParams({ a: 'b', q: text }).toString(),
  'in Base64': base64,
  'in Base64, second': (text) => base64(`"${text}"`),
  'in Base64, third': (text) => base64(`é${text}, and more`),
  'in Base64 for URLs': (text) => Buffer.from(`{"q":"${text}"}`).toString('base64url'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  decomposed: (text) => text.normalize('NFD'),
};

describe('the search for personal data', () => {
  it.each(Object.entries(encodings))('finds each text %s', (_, encode) => {
    for (const secret of Object.values(who)) {
      expect(tracesOf(Object.values(who), `{"level":"INFO",${encode(secret)}}`)).toContain(secret);
    }
  });

  it('finds a token, and each part of one', async () => {
    const issuer = await TestIssuer.start();
    const token = await issuer.mint({ email: who.email });
    await issuer.stop();
    for (const part of partsOf(token)) {
      expect(tracesOf(partsOf(token), `at (${part})`)).toContain(part);
      expect(tracesOf(partsOf(token), base64(`Bearer ${part}`))).toContain(part);
    }
    expect(tracesOf([who.email], token)).toEqual([who.email]);
  });

  it('finds every text of a stored application', () => {
    const traces = tracesOf(Object.values(who), JSON.stringify(applicationOf(who)));
    expect(traces.toSorted()).toEqual(
      Object.values(who)
        .filter((text) => text !== who.secret)
        .toSorted(),
    );
  });

  it('finds nothing if there is nothing', () => {
    expect(tracesOf(Object.values(who), JSON.stringify(applicationOf(person(8))))).toEqual([]);
    expect(tracesOf(Object.values(who), 'sha256:8e43ca37701228e7 zoraide')).toEqual([]);
  });
});
