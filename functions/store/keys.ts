/**
 * The primary key of an item in the table. Only this file builds and parses keys. `docs/architecture.md` lists the
 * access patterns. Every partition key begins with the tenant. A job and its applications have the same partition key.
 *
 * Each id in a key is percent-encoded. The encoding is reversible and leaves no `#` in an id, so no id can forge the
 * key of another item. The encoding turns one byte into at most three bytes, so an id of 256 bytes takes at most 768
 * bytes. Keys therefore stay within DynamoDB's limits:
 *
 * - A partition key has at most two ids. DynamoDB's limit for a partition key is 2048 bytes.
 * - A sort key has at most one id. DynamoDB's limit for a sort key is 1024 bytes.
 *
 * The `by-candidate` index contains only applications. A status change therefore writes nothing to the index, and costs
 * one write unit. The index has no sort key. The only suitable sort key would be `pk`, but `pk` may be longer than 1024
 * bytes.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** The names of the key attributes and of the time-to-live attribute. A time to live is a Unix timestamp in seconds. */
export const attributes = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expires_at' } as const;

/** The global secondary index that finds a candidate's applications, and the index's partition key. */
export const candidateIndex = { name: 'by-candidate', partitionKey: 'candidate_pk' } as const;

/** Returns the key of a job. Example: `{ pk: 'TENANT#default#JOB#gh%3A4007', sk: 'JOB' }`. */
export function jobKey(tenant: string, job: string): Key {
  return { pk: partition(tenant, job), sk: 'JOB' };
}

/** Returns the key of an application. Example: `{ pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1' }`. */
export function applicationKey(tenant: string, job: string, candidate: string): Key {
  return { pk: partition(tenant, job), sk: `APPLICATION#${encodeURIComponent(candidate)}` };
}

/**
 * Returns the attribute that puts an application into the `by-candidate` index.
 * Example: `{ candidate_pk: 'TENANT#default#CANDIDATE#c-1' }`.
 */
export function candidateKey(tenant: string, candidate: string) {
  const key = `TENANT#${encodeURIComponent(tenant)}#CANDIDATE#${encodeURIComponent(candidate)}`;
  return { [candidateIndex.partitionKey]: key } as const;
}

/**
 * Returns the key of the item that says that a candidate was erased. Before storing an application, a live write checks
 * whether this item exists.
 * Example: `{ pk: 'TENANT#default#CANDIDATE#c-1', sk: 'ERASURE' }`.
 */
export function erasureKey(tenant: string, candidate: string): Key {
  return { pk: candidateKey(tenant, candidate)[candidateIndex.partitionKey], sk: 'ERASURE' };
}

/** Returns the prefix of `pk` and the prefix of `sk` that all applications of a tenant have. */
export function applicationKeyPrefix(tenant: string): Key {
  return { pk: partition(tenant, ''), sk: 'APPLICATION#' };
}

/** The kind of an item, and the ids in the item's key. */
type KeyParts =
  | { kind: 'job'; tenant: string; job: string }
  | { kind: 'application'; tenant: string; job: string; candidate: string }
  | { kind: 'erasure'; tenant: string; candidate: string };

/**
 * Returns the kind of the item and the ids in its key. Returns undefined if none of the functions above can build this
 * key.
 */
export function parseKey({ pk, sk }: Key): KeyParts | undefined {
  // An encoded id contains no `#`, so the ids are whole parts of the key. The comparisons find any other difference.
  const [, tenant = '', , id = ''] = pk.split('#').map(decode);
  const [, candidate = ''] = sk.split('#').map(decode);
  if (tenant === '' || id === '') return undefined;
  const isSame = (key: Key) => key.pk === pk && key.sk === sk;
  if (isSame(jobKey(tenant, id))) return { kind: 'job', tenant, job: id };
  if (isSame(erasureKey(tenant, id))) return { kind: 'erasure', tenant, candidate: id };
  const isApplication = candidate !== '' && isSame(applicationKey(tenant, id, candidate));
  return isApplication ? { kind: 'application', tenant, job: id, candidate } : undefined;
}

/** Returns the decoded id; an empty string if the encoding is malformed. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

const partition = (tenant: string, job: string) =>
  `TENANT#${encodeURIComponent(tenant)}#JOB#${encodeURIComponent(job)}`;
