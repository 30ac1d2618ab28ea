/**
 * Tenants whose names are prefixes, encodings, cases, look-alikes or key parts of one another: if keys
 * were joined or compared carelessly, two of them would share items.
 */
export const tenants = [
  'default',
  'a',
  'ab',
  'A',
  'a ',
  'a%23',
  'a#JOB#x',
  'caf\u00e9',
  'cafe\u0301',
] as const;

export type Tenant = (typeof tenants)[number];

/** An application as a path names it; a job without the candidate. */
export interface Target {
  job: string;
  candidate: string;
}

/** What each tenant owns, under ids that no other tenant has. */
export function ownTargets(tenant: Tenant): Target[] {
  const at = tenants.indexOf(tenant);
  return [
    { job: `Job-é-${at}`, candidate: `Cand-é-${at}` },
    { job: `other-job-${at}`, candidate: `other-cand-${at}` },
  ];
}

/** An id that every tenant uses for a job and a candidate of its own. */
export const SHARED = 'shared';

/** Letters and digits as their full-width look-alikes. */
const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));

/** Percent-encodes all bytes, those too that need no encoding. */
export const everyByteEncoded = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Other ways to write an id, which are other ids. */
const disguises: Readonly<Record<string, (id: string) => string>> = {
  encoded: (id) => encodeURIComponent(id),
  'encoded twice': (id) => encodeURIComponent(encodeURIComponent(id)),
  'every byte encoded': everyByteEncoded,
  'in upper case': (id) => id.toUpperCase(),
  'in lower case': (id) => id.toLowerCase(),
  decomposed: (id) => id.normalize('NFD'),
  'of full width': fullWidth,
  'of Cyrillic letters': (id) => id.replaceAll('o', '\u043e').replaceAll('a', '\u0430'),
  'with a space after it': (id) => `${id} `,
  'with a space before it': (id) => ` ${id}`,
  'with a joiner in it': (id) => `${id.slice(0, 1)}\u200d${id.slice(1)}`,
  'with a delimiter after it': (id) => `${id}#`,
  'after a step up': (id) => `../${id}`,
  'after a step up of Windows': (id) => `..\\${id}`,
  'after a step down and up': (id) => `x/../${id}`,
};

/** What parts keys, paths, queries and addresses. */
const DELIMITERS = ['#', '/', '\\', '?', '&', ';', '=', ':', '@'];

/** Each as it is, and percent-encoded. */
const delimiters = DELIMITERS.flatMap((one) => [one, everyByteEncoded(one)]);

/**
 * Ids by which a caller of `mine` may hope to reach what `theirs` owns under `target`: plain, as parts
 * of keys, and in disguise.
 */
export function craftedIds(
  mine: string,
  theirs: string,
  { job, candidate }: Target,
): Readonly<Record<string, Target>> {
  const jobs: Record<string, string> = {
    plain: job,
    'after the tenant': `${theirs}#JOB#${job}`,
    'as a partition key': `TENANT#${theirs}#JOB#${job}`,
    'as an encoded partition key': `TENANT#${encodeURIComponent(theirs)}#JOB#${encodeURIComponent(job)}`,
    'as a whole job key': `${job}#JOB`,
    'as a whole application key': `${job}#APPLICATION#${candidate}`,
    'after a delimiter': `#JOB#${job}`,
    // What is missing if the tenant's name is the beginning of another's.
    'after the rest of the name': `${theirs.replace(`${mine}#JOB#`, '')}#JOB#${job}`,
    'after a step up to the tenant': `../${theirs}/${job}`,
  };
  for (const [name, disguise] of Object.entries(disguises)) jobs[name] = disguise(job);
  for (const delimiter of delimiters) {
    jobs[`after the tenant and ${delimiter}`] = `${theirs}${delimiter}${job}`;
    jobs[`before ${delimiter}`] = `${job}${delimiter}x`;
  }
  const candidates: Record<string, string> = {
    'the word of jobs': 'JOB',
    'the word of applications': 'APPLICATION',
    'a sort key': `APPLICATION#${candidate}`,
    'an encoded sort key': `APPLICATION%23${encodeURIComponent(candidate)}`,
    'a whole key': `TENANT#${theirs}#JOB#${job}#APPLICATION#${candidate}`,
  };
  for (const [name, disguise] of Object.entries(disguises)) candidates[name] = disguise(candidate);
  for (const delimiter of delimiters)
    candidates[`before ${delimiter}`] = `${candidate}${delimiter}x`;
  return Object.fromEntries([
    ...Object.entries(jobs).map(([name, id]) => [`job ${name}`, { job: id, candidate }]),
    ...Object.entries(candidates).map(([name, id]) => [
      `candidate ${name}`,
      { job, candidate: id },
    ]),
  ]);
}
