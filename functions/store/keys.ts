/**
 * Only this file builds and parses keys. Every partition key begins with the tenant. A job and its applications share
 * one.
 *
 * Ids are percent-encoded, so they contain no `#` and cannot forge another item's key. An id's 256 bytes become at most
 * 768: two fit into a partition key (2048 bytes), and one into a sort key (1024 bytes).
 *
 * The `by-candidate` index contains only applications, so a status change does not write to it and costs one write
 * unit. It has no sort key: the only suitable one, `pk`, may be longer than 1024 bytes.
 */
export interface Key {
  pk: string;
  sk: string;
}

export const keyAttributes = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** In seconds since 1970. */
  timeToLive: 'expires_at',
} as const;

export const candidateIndex = { name: 'by-candidate', partitionKey: 'candidate_pk' } as const;

/** `{ pk: 'TENANT#default#JOB#gh%3A4007', sk: 'JOB' }` */
export function jobKey(tenant: string, job: string): Key {
  return { pk: partition(tenant, job), sk: 'JOB' };
}

/** `{ pk: 'TENANT#default#JOB#4007', sk: 'APPLICATION#c-1' }` */
export function applicationKey(tenant: string, job: string, candidate: string): Key {
  return { pk: partition(tenant, job), sk: `APPLICATION#${encodeURIComponent(candidate)}` };
}

/** Puts an application into the index: `{ candidate_pk: 'TENANT#default#CANDIDATE#c-1' }` */
export function candidateKey(tenant: string, candidate: string) {
  const key = `TENANT#${encodeURIComponent(tenant)}#CANDIDATE#${encodeURIComponent(candidate)}`;
  return { [candidateIndex.partitionKey]: key } as const;
}

/**
 * `{ pk: 'TENANT#default#CANDIDATE#c-1', sk: 'ERASURE' }` marks an erased candidate. Live writes and imports check it
 * before they store an application.
 */
export function erasureKey(tenant: string, candidate: string): Key {
  return { pk: candidateKey(tenant, candidate)[candidateIndex.partitionKey], sk: 'ERASURE' };
}

export function applicationKeyPrefix(tenant: string): Key {
  return { pk: partition(tenant, ''), sk: 'APPLICATION#' };
}

type KeyParts =
  | { kind: 'job'; tenant: string; job: string }
  | { kind: 'application'; tenant: string; job: string; candidate: string }
  | { kind: 'erasure'; tenant: string; candidate: string };

export function parseKey({ pk, sk }: Key): KeyParts | undefined {
  // Encoded ids contain no `#`. The comparisons below refuse any key that the functions above would not build.
  const [, tenant = '', , id = ''] = pk.split('#').map(decode);
  const [, candidate = ''] = sk.split('#').map(decode);
  if (tenant === '' || id === '') return undefined;
  const isSame = (key: Key) => key.pk === pk && key.sk === sk;
  if (isSame(jobKey(tenant, id))) return { kind: 'job', tenant, job: id };
  if (isSame(erasureKey(tenant, id))) return { kind: 'erasure', tenant, candidate: id };
  const isApplication = candidate !== '' && isSame(applicationKey(tenant, id, candidate));
  return isApplication ? { kind: 'application', tenant, job: id, candidate } : undefined;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}

const partition = (tenant: string, job: string) =>
  `TENANT#${encodeURIComponent(tenant)}#JOB#${encodeURIComponent(job)}`;
