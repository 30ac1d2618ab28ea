import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isIdentifier } from '../../../functions/domain/identifier.ts';
import {
  applicationKey,
  applicationKeyPrefix,
  candidateKey,
  erasureKey,
  jobKey,
  type Key,
  parseKey,
} from '../../../functions/store/keys.ts';

const part = fc.constantFrom(...'# % %23 APP APPLICATION# JOB TENANT# a é 😀'.split(' '));
/** Includes ids made of key parts, and ids of the maximum length. */
const identifier = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.array(part, { minLength: 1 }).map((parts) => parts.join('')),
    fc
      .constantFrom('#', 'é', '日', '😀')
      .map((letter) => letter.repeat(256 / Buffer.byteLength(letter))),
  )
  .filter(isIdentifier);
const triple = fc.tuple(identifier, identifier, identifier);

const bytes = (text: string) => Buffer.byteLength(text);

describe('the keys of any item', () => {
  it('give back what they were made of, so that no two items share one, and fit into DynamoDB', () => {
    fc.assert(
      fc.property(triple, ([tenant, job, candidate]) => {
        const key = applicationKey(tenant, job, candidate);
        expect(parseKey(key)).toEqual({ kind: 'application', tenant, job, candidate });
        expect(parseKey(jobKey(tenant, job))).toEqual({ kind: 'job', tenant, job });
        const erasure = erasureKey(tenant, candidate);
        expect(parseKey(erasure)).toEqual({ kind: 'erasure', tenant, candidate });
        expect(jobKey(tenant, job)).toEqual({ pk: key.pk, sk: 'JOB' });
        const { candidate_pk = '' } = candidateKey(tenant, candidate);
        const [, ofTenant, , ofCandidate] = candidate_pk.split('#').map(decodeURIComponent);
        expect([ofTenant, ofCandidate]).toEqual([tenant, candidate]);
        expect(bytes(candidate_pk)).toBeLessThanOrEqual(2048);
        expect(bytes(key.pk)).toBeLessThanOrEqual(2048);
        expect(bytes(key.sk)).toBeLessThanOrEqual(1024);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a key that the service does not write', () => {
  it.each([
    ['CONFIG#50%off-', 'JOB'],
    ['TENANT#default#JOB#a%', 'JOB'],
    ['TENANT#%E9#JOB#a', 'JOB'],
    ['TENANT#default#JOB#', 'JOB'],
    ['TENANT##JOB#a', 'JOB'],
    ['TENANT#default#JOB#a b', 'JOB'],
    ['TENANT#default#JOB#%61', 'JOB'],
    ['TENANT#default#JOB#a%3a', 'JOB'],
    ['TENANT#default#JOB#a#b', 'JOB'],
    ['xTENANT#default#JOB#a', 'JOB'],
    ['TENANT#default#JOB#a', 'job'],
    ['TENANT#default#JOB#a', 'ERASURE'],
    ['TENANT#default#JOB#a', 'APPLICATION#'],
    ['TENANT#default#JOB#a', 'APPLICATION#%'],
    ['TENANT#default#JOB#a', 'APPLICATION#c 1'],
    ['TENANT#default#JOB#a', 'xAPPLICATION#c-1'],
    ['TENANT#default#CANDIDATE#c%', 'ERASURE'],
    ['TENANT#default#CANDIDATE#c-1', 'JOB'],
    ['TENANT#default#CANDIDATE#c-1', 'APPLICATION#c-1'],
  ])('names nothing: %s, %s', (pk, sk) => {
    expect(parseKey({ pk, sk })).toBeUndefined();
  });
});

describe('what the keys of the applications of a tenant begin with', () => {
  const startsLike = (key: Key, { pk, sk }: Key) => key.pk.startsWith(pk) && key.sk.startsWith(sk);

  it('is what those of no job and of no other tenant begin with', () => {
    fc.assert(
      fc.property(triple, identifier, ([tenant, job, candidate], other) => {
        const key = applicationKey(tenant, job, candidate);
        expect(startsLike(key, applicationKeyPrefix(tenant))).toBe(true);
        expect(startsLike(key, applicationKeyPrefix(other))).toBe(other === tenant);
        expect(startsLike(jobKey(tenant, job), applicationKeyPrefix(tenant))).toBe(false);
      }),
    );
  });
});
