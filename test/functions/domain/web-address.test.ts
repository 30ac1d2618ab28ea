import { describe, expect, it } from 'vitest';
import { isWebAddress, profileOf } from '../../../functions/domain/web-address.ts';

describe('a web address', () => {
  it.each([
    'https://example.com',
    'HTTP://例え.example/a?b#c',
    'http://[2001:db8::1]:8443?b=@',
    'https://archive.example/https://example.com/cv.pdf',
    'https://example.com/?u=https://example.com/cv.pdf',
  ])('may be %j', (address) => {
    expect(isWebAddress(address)).toBe(true);
  });

  it.each([
    ['has no host', 'https:///cv.pdf'],
    ['has a host for one parser and another host for the next', 'https://a.example\\@b.example/'],
    ['has HTTP twice', 'https://https://x.example/cv.pdf'],
    ['has an empty port', 'https://example.com:/cv.pdf'],
    ['has a name before the host', 'https://a.example@b.example/'],
    ['has a name and a password', 'https://user:secret@example.com/'],
    ['has another scheme', 'javascript:alert(1)//https://example.com'],
    ['is two', 'https://a.example/1.pdf,https://b.example/2.pdf'],
    ['is two without a separator', 'https://a.example/1.pdfhttps://b.example/2.pdf'],
    ['has white space', 'https://example.com/a b'],
    ['has a format character', 'https://example.com/\u{e0001}'],
    ['has what a wrong encoding leaves', 'https://example.com/\u0096'],
    ['is not a URL', 'https://example.com:99999/'],
  ])('is invalid if it %s', (_, address) => {
    expect(isWebAddress(address)).toBe(false);
  });
});

describe('a profile', () => {
  it.each([
    ['linkedin.example.com/in/ana', 'linkedin.example.com/in/ana'],
    ['hTTps://www.linkedin.example.com/in/ana/', 'www.linkedin.example.com/in/ana/'],
    ['例え.example/求人', '例え.example/求人'],
  ])('of %j is host and path', (text, profile) => {
    expect(profileOf(text)).toBe(profile);
  });

  it.each([
    '',
    'n/a',
    'ana',
    'linkedin.example.com',
    '//linkedin.example.com/in/ana',
    'https://https://linkedin.example.com/in/ana',
    'javascript:alert(1)/a.b/c',
    'mailto:ana@example.com',
    'linkedin.example.com/in/ana?a=b',
    'linkedin.example.com/in/a na',
    'linkedin.example.com/in/ana\u200b',
    '1.5/10',
  ])('cannot be %j', (text) => {
    expect(profileOf(text)).toBeUndefined();
  });
});
