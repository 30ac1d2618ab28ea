import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applicationKey,
  attributes,
  candidateIndex,
  candidateKey,
  jobKey,
} from '../../../functions/store/keys.ts';
import { part, triple } from '../../support/identifiers.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const joined = ({ pk, sk }: { pk: string; sk: string }) => JSON.stringify([pk, sk]);

describe('the keys', () => {
  it('are those that the documentation shows', () => {
    expect(jobKey('default', 'gh:4007')).toEqual({ pk: 'TENANT#default#JOB#gh%3A4007', sk: 'JOB' });
    expect(applicationKey('default', '4007', 'c-1')).toEqual({
      pk: 'TENANT#default#JOB#4007',
      sk: 'APPLICATION#c-1',
    });
    expect(candidateKey('default', 'gh:88213')).toEqual({
      candidate_pk: 'TENANT#default#CANDIDATE#gh%3A88213',
    });
  });

  it('of candidates are in the index that the deployed table has', () => {
    expect(candidateIndex).toEqual({ name: 'by-candidate', partitionKey: 'candidate_pk' });
  });

  it('are of the two attributes that the table has for them', () => {
    const { partitionKey, sortKey } = attributes;
    expect(Object.keys(jobKey('t', 'j'))).toEqual([partitionKey, sortKey]);
    expect(Object.keys(applicationKey('t', 'j', 'c'))).toEqual([partitionKey, sortKey]);
  });

  it('do not take A#APP and B for A and APP#B', () => {
    expect(joined(jobKey('A#APP', 'B'))).not.toBe(joined(jobKey('A', 'APP#B')));
    expect(joined(jobKey('A#JOB', 'B'))).not.toBe(joined(jobKey('A', 'JOB#B')));
    expect(joined(applicationKey('t', 'A#APP', 'B'))).not.toBe(
      joined(applicationKey('t', 'A', 'APP#B')),
    );
  });

  it('are the same only for the same identifiers', () => {
    fc.assert(
      fc.property(triple, triple, (one, other) => {
        const isSame = joined(applicationKey(...one)) === joined(applicationKey(...other));
        expect(isSame).toBe(one.every((component, index) => component === other[index]));
      }),
    );
  });

  it('stay apart however a boundary is moved', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 8 }), (parts) => {
        const splits = parts.slice(1).map((_, index) => {
          const [left, right] = [
            parts.slice(0, index + 1).join(''),
            parts.slice(index + 1).join(''),
          ];
          return { left, right };
        });
        const keys = splits.map(({ left, right }) => joined(jobKey(left, right)));
        const pairs = splits.map((split) => JSON.stringify(split));
        expect(new Set(keys).size).toBe(new Set(pairs).size);
      }),
    );
  });

  it('give back what they were made of', () => {
    fc.assert(
      fc.property(triple, ([tenant, job, candidate]) => {
        const { pk, sk } = applicationKey(tenant, job, candidate);
        const [, readTenant, , readJob] = pk.split('#').map(decodeURIComponent);
        const [, readCandidate] = sk.split('#').map(decodeURIComponent);
        expect([readTenant, readJob, readCandidate]).toEqual([tenant, job, candidate]);
      }),
    );
  });

  it('begin with the tenant, and never take a job for an application', () => {
    fc.assert(
      fc.property(triple, ([tenant, job, candidate]) => {
        const start = `TENANT#${encodeURIComponent(tenant)}#`;
        expect(jobKey(tenant, job).pk.startsWith(start)).toBe(true);
        expect(applicationKey(tenant, job, candidate).pk).toBe(jobKey(tenant, job).pk);
        expect(applicationKey(tenant, job, candidate).sk).not.toBe(jobKey(tenant, job).sk);
      }),
    );
  });

  it.each(['#', 'é', '日', '😀', '%'])('made of 256 bytes of %s fit into DynamoDB', (letter) => {
    const longest = letter.repeat(256 / bytes(letter));
    const { pk, sk } = applicationKey(longest, longest, longest);
    expect(bytes(pk)).toBeLessThanOrEqual(2048);
    expect(bytes(sk)).toBeLessThanOrEqual(1024);
  });

  it('of all identifiers fit into DynamoDB', () => {
    fc.assert(
      fc.property(triple, ([tenant, job, candidate]) => {
        const { pk, sk } = applicationKey(tenant, job, candidate);
        expect(bytes(pk)).toBeLessThanOrEqual(2048);
        expect(bytes(sk)).toBeLessThanOrEqual(1024);
      }),
    );
  });
});
