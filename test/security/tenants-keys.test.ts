import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { isIdentifier } from '../../functions/domain/identifier.ts';
import { applicationKey, jobKey, type Key } from '../../functions/store/keys.ts';
import { printCounts, randomNumbers, scaled, seed } from './random-cases.ts';

/** What keys are made of, what encodings are made of, and letters of every length in UTF-8. */
const PARTS = [
  ...['#', '%', '%23', '%2523', '#JOB#', '#APPLICATION#', 'TENANT#', 'JOB', 'APPLICATION'],
  ...['a', 'A', 'b', '0', ' ', '+', '%20', '/', '\\', ':', '.', '..', '"', "'", '(', '!', '*', '~'],
  ...['é', 'e\u0301', '日', '😀', '\u200d', '\uff03', 'ß', 'ss', 'ﬁ', 'İ', 'i'],
];

type Ids = readonly [tenant: string, job: string, candidate: string];
const fields = [0, 1, 2] as const;

const { below, pick } = randomNumbers(seed());

function identifier(): string {
  const length = 1 + below(4);
  return Array.from({ length }, () => pick(PARTS)).join('');
}

/** As long as an identifier may be. */
const longest = (letter: string) => letter.repeat(Math.floor(256 / Buffer.byteLength(letter)));

const attempt = (read: () => string, otherwise: string) => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};

/** Other ids that a careless key would take for the same. */
const changes: readonly ((ids: Ids) => Ids)[] = [
  unchanged,
  // The boundary between two ids, moved.
  ([tenant, job, candidate]) => {
    const at = 1 + below(job.length);
    return [`${tenant}#JOB#${job.slice(0, at)}`, job.slice(at), candidate];
  },
  ([tenant, job, candidate]) => [tenant + job.slice(0, 1), job.slice(1), candidate],
  ([tenant, job, candidate]) => [tenant, `${job}#APPLICATION`, candidate],
  ([tenant, job, candidate]) => [job, tenant, candidate],
  ([tenant, job, candidate]) => [tenant, candidate, job],
  // One id, written in another way.
  one((id) => encodeURIComponent(id)),
  one((id) => attempt(() => decodeURIComponent(id), id)),
  one((id) => id.normalize('NFC')),
  one((id) => id.normalize('NFD')),
  one((id) => id.normalize('NFKC')),
  one((id) => id.toLowerCase()),
  one((id) => id.toUpperCase()),
  one((id) => id.trim()),
  one((id) => id.replaceAll('%23', '#')),
  one((id) => id.replaceAll('#', '%23')),
  () => [identifier(), identifier(), identifier()],
];

function unchanged(ids: Ids): Ids {
  return [...ids];
}

/** Changes one of the ids, whichever. */
function one(change: (id: string) => string): (ids: Ids) => Ids {
  return (ids) => {
    const changed = below(3);
    const [tenant = '', job = '', candidate = ''] = ids.map((id, at) =>
      at === changed ? change(id) : id,
    );
    return [tenant, job, candidate];
  };
}

const joined = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
const bytes = (text: string) => Buffer.byteLength(text);
const decoded = (key: string) => key.split('#').map(decodeURIComponent);

describe('the keys of any two items', () => {
  const counts = { pairs: 0, 'of the same ids': 0, 'of other ids': 0, violations: 0 };
  const violations: unknown[] = [];
  afterAll(() => printCounts('keys', counts));

  function check(isTrue: boolean, ...evidence: unknown[]): void {
    if (isTrue) return;
    counts.violations += 1;
    if (violations.length < 5) violations.push(evidence);
  }

  /** Every property of the key of one application and of its job. */
  function checkKey(ids: Ids): void {
    const { pk, sk } = applicationKey(...ids);
    const job = jobKey(ids[0], ids[1]);
    check(bytes(pk) <= 2048 && bytes(sk) <= 1024, 'size', ids);
    check(job.pk === pk && job.sk !== sk, 'job and application', ids);
    const [, tenant, , jobId] = decoded(pk);
    const [, candidate] = decoded(sk);
    check(tenant === ids[0] && jobId === ids[1] && candidate === ids[2], 'decoding', ids);
  }

  function checkPair(ids: Ids, others: Ids): void {
    const isSameJob = ids[0] === others[0] && ids[1] === others[1];
    const isSame = isSameJob && ids[2] === others[2];
    counts[isSame ? 'of the same ids' : 'of other ids'] += 1;
    const keys = [applicationKey(...ids), applicationKey(...others)].map(joined);
    check((keys[0] === keys[1]) === isSame, 'applications', ids, others);
    const jobs = [jobKey(ids[0], ids[1]), jobKey(others[0], others[1])].map(joined);
    check((jobs[0] === jobs[1]) === isSameJob, 'jobs', ids, others);
    check(!keys.some((key) => jobs.includes(key)), 'an application and a job', ids, others);
  }

  it('are equal if and only if the ids are equal', () => {
    while (counts.pairs < scaled(100_000)) {
      const ids: Ids = [identifier(), identifier(), identifier()];
      const change = pick(changes);
      const others = change(ids);
      if (![...ids, ...others].every(isIdentifier)) continue;
      if (change !== unchanged && isDeepStrictEqual(ids, others)) continue;
      counts.pairs += 1;
      checkKey(ids);
      checkPair(ids, others);
    }
    expect(violations).toEqual([]);
    expect(counts['of the same ids']).toBeGreaterThan(counts.pairs / 20);
    expect(counts['of other ids']).toBeGreaterThan(counts.pairs / 2);
  });

  it('fit into DynamoDB if the ids are as long as they may be', () => {
    for (const letter of ['#', '%', 'é', '日', '😀', '"', ' ']) {
      const id = longest(letter);
      expect(isIdentifier(id)).toBe(true);
      for (const at of fields) {
        const [tenant = '', job = '', candidate = ''] = fields.map((field) =>
          field === at ? 'x' : id,
        );
        checkKey([tenant, job, candidate]);
      }
      checkKey([id, id, id]);
    }
    expect(violations).toEqual([]);
  });
});
