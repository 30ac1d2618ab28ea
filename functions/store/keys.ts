/**
 * The keys of the single table. Only this file knows how they are written; docs/architecture.md lists the
 * access patterns. Every key begins with the tenant, and a job shares its partition with its applications.
 *
 * Components are percent-encoded, which is reversible and leaves no `#` in them, so that no
 * identifier can forge another item's key. Three bytes for one at most: a component of 256 bytes
 * takes 768, within DynamoDB's limits of 2048 bytes for a partition key and 1024 for a sort key.
 *
 * The index `by-candidate` has only the keys of applications, so that a change of a job's status stays one
 * write unit. It has no sort key: `pk` may be longer than the 1024 bytes of one.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** The key attributes, and the time after which DynamoDB deletes an item, in seconds since 1970. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires_at' } as const;

/** The index that finds the applications of a candidate, and its partition key. */
export const candidateIndex = { name: 'by-candidate', partitionKey: 'candidate_pk' } as const;

/** The key of a job. Example: `{ pk: 'TENANT#default#JOB#gh%3A4007', sk: 'JOB' }`. */
export function jobKey(tenant: string, job: string): Key {
  return { pk: partition(tenant, job), sk: 'JOB' };
}

/** The key of an application. Example: `{ pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1' }`. */
export function applicationKey(tenant: string, job: string, candidate: string): Key {
  return { pk: partition(tenant, job), sk: `APPLICATION#${encodeURIComponent(candidate)}` };
}

/** What puts an application into the index. Example: `{ candidate_pk: 'TENANT#default#CANDIDATE#c-1' }`. */
export function candidateKey(tenant: string, candidate: string) {
  const key = `TENANT#${encodeURIComponent(tenant)}#CANDIDATE#${encodeURIComponent(candidate)}`;
  return { [candidateIndex.partitionKey]: key } as const;
}

/**
 * Returns the key of a candidate's erasure, which live writes read before they store an application.
 * Example: `{ pk: 'TENANT#default#CANDIDATE#c-1', sk: 'ERASURE' }`.
 */
export function erasureKey(tenant: string, candidate: string): Key {
  return { pk: candidateKey(tenant, candidate)[candidateIndex.partitionKey], sk: 'ERASURE' };
}

/** The prefix of the keys of all applications of a tenant. */
export function applicationKeyPrefix(tenant: string): Key {
  return { pk: partition(tenant, ''), sk: 'APPLICATION#' };
}

/** What a key names. */
export type KeyParts =
  | { kind: 'job'; tenant: string; job: string }
  | { kind: 'application'; tenant: string; job: string; candidate: string }
  | { kind: 'erasure'; tenant: string; candidate: string };

/** Returns what a key names; undefined if the key is not one that this file writes. */
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

/** Returns the component of a key that an encoded text stands for; empty if there is none. */
function decode(encoded = ''): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

const partition = (tenant: string, job: string) =>
  `TENANT#${encodeURIComponent(tenant)}#JOB#${encodeURIComponent(job)}`;
