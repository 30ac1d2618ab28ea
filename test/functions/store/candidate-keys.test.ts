import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applicationKey,
  applicationKeyPrefix,
  candidateIndex,
  candidateKey,
  jobKey,
  jobOf,
  type Key,
} from '../../../functions/store/keys.ts';
import { identifier, triple } from '../../support/identifiers.ts';

const bytes = (text: string) => Buffer.byteLength(text);

describe('the key of the index by candidate', () => {
  it('is of the attribute that the index has for it', () => {
    expect(Object.keys(candidateKey('t', 'c'))).toEqual([candidateIndex.partitionKey]);
  });

  it('does not take A#CANDIDATE and B for A and CANDIDATE#B', () => {
    expect(candidateKey('A#CANDIDATE', 'B')).not.toEqual(candidateKey('A', 'CANDIDATE#B'));
    expect(candidateKey('A%23', 'B')).not.toEqual(candidateKey('A#', 'B'));
  });

  it('is the same only for the same candidate of the same tenant', () => {
    const pair = fc.tuple(identifier, identifier);
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        const isSame = candidateKey(...one).candidate_pk === candidateKey(...other).candidate_pk;
        expect(isSame).toBe(one.every((component, index) => component === other[index]));
      }),
    );
  });

  it('gives back what it was made of, and fits into DynamoDB', () => {
    fc.assert(
      fc.property(identifier, identifier, (tenant, candidate) => {
        const { candidate_pk } = candidateKey(tenant, candidate);
        const [, readTenant, , readCandidate] = candidate_pk.split('#').map(decodeURIComponent);
        expect([readTenant, readCandidate]).toEqual([tenant, candidate]);
        expect(bytes(candidate_pk)).toBeLessThanOrEqual(2048);
      }),
    );
  });
});

describe('the job of a key', () => {
  it('is the one that the key was made of', () => {
    fc.assert(
      fc.property(triple, ([tenant, job, candidate]) => {
        expect(jobOf(applicationKey(tenant, job, candidate))).toBe(job);
        expect(jobOf(jobKey(tenant, job))).toBe(job);
      }),
    );
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
