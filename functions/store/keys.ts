/**
 * A key of the single table. Only this file builds and parses keys. `docs/architecture.md` lists the access
 * patterns. Every key begins with the tenant, and a job shares its partition with its applications.
 *
 * Each id in a key is percent-encoded. The encoding is reversible and leaves no `#` in an id, so no id can forge
 * the key of another item. The encoding turns one byte into at most three bytes, so an id of 256 bytes takes at
 * most 768 bytes. A partition key has at most two ids and a sort key has one. Keys therefore stay within DynamoDB's
 * limits of 2048 bytes for a partition key and 1024 bytes for a sort key.
 *
 * The `by-candidate` index contains only applications, so a status change costs one write unit. The index has no
 * sort key. Only `pk` could be the sort key of the index, and `pk` may be longer than 1024 bytes.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** The key attributes, and the attribute with the time to live, in seconds since 1970. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires_at' } as const;

/** The index that finds the applications of a candidate, and its partition key. */
export const candidateIndex = { name: 'by-candidate', partitionKey: 'candidate_pk' } as const;

/** Returns the key of a job. Example: `{ pk: 'TENANT#default#JOB#gh%3A4007', sk: 'JOB' }`. */
export function jobKey(tenant: string, job: string): Key {
  return { pk: partition(tenant, job), sk: 'JOB' };
}

/** Returns the key of an application. Example: `{ pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1' }`. */
export function applicationKey(tenant: string, job: string, candidate: string): Key {
  return { pk: partition(tenant, job), sk: `APPLICATION#${encodeURIComponent(candidate)}` };
}

/** Returns the attribute that puts an application into the `by-candidate` index. Example: `{ candidate_pk: 'TENANT#default#CANDIDATE#c-1' }`. */
export function candidateKey(tenant: string, candidate: string) {
  const key = `TENANT#${encodeURIComponent(tenant)}#CANDIDATE#${encodeURIComponent(candidate)}`;
  return { [candidateIndex.partitionKey]: key } as const;
}

/**
 * Returns the key of the item that records a candidate's erasure. Live writes read this item before they store an
 * application.
 * Example: `{ pk: 'TENANT#default#CANDIDATE#c-1', sk: 'ERASURE' }`.
 */
export function erasureKey(tenant: string, candidate: string): Key {
  return { pk: candidateKey(tenant, candidate)[candidateIndex.partitionKey], sk: 'ERASURE' };
}

/** Returns the key prefixes (of `pk` and `sk`) that all of a tenant's applications share. */
export function applicationKeyPrefix(tenant: string): Key {
  return { pk: partition(tenant, ''), sk: 'APPLICATION#' };
}

/** The kind of an item and the ids that its key contains. */
export type KeyParts =
  | { kind: 'job'; tenant: string; job: string }
  | { kind: 'application'; tenant: string; job: string; candidate: string }
  | { kind: 'erasure'; tenant: string; candidate: string };

/** Returns the ids that a key contains; undefined if no function of this file builds such a key. */
export function parseKey({ pk, sk }: Key): KeyParts | undefined {
  const [, encodedTenant, kind, encodedId] = /^TENANT#(.+)#(JOB|CANDIDATE)#(.+)$/.exec(pk) ?? [];
  const [, encodedCandidate] = /^APPLICATION#(.+)$/.exec(sk) ?? [];
  const [tenant, id] = [decode(encodedTenant), decode(encodedId)];
  const isSame = (key: Key) => key.pk === pk && key.sk === sk;
  if (kind === 'CANDIDATE') {
    const isErasure = isSame(erasureKey(tenant, id));
    return isErasure ? { kind: 'erasure', tenant, candidate: id } : undefined;
  }
  if (kind === undefined) return undefined;
  if (isSame(jobKey(tenant, id))) return { kind: 'job', tenant, job: id };
  const candidate = decode(encodedCandidate);
  const isApplication = isSame(applicationKey(tenant, id, candidate)) && candidate !== '';
  return isApplication ? { kind: 'application', tenant, job: id, candidate } : undefined;
}

/** Returns the decoded id; empty if the encoding is malformed. */
function decode(encoded = ''): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

const partition = (tenant: string, job: string) =>
  `TENANT#${encodeURIComponent(tenant)}#JOB#${encodeURIComponent(job)}`;
