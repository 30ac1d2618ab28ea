/**
 * Tenants whose names are prefixes, encodings, case variants, look-alikes or key parts of one another. If the service
 * joined or compared keys carelessly, two of these tenants would share items.
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

/** The ids in a path: an application, or a job without a candidate. */
export interface Target {
  job: string;
  candidate: string;
}

/**
 * Returns ids with which a caller of `mine` would reach the job of `theirs`, if the service joined or compared keys
 * carelessly.
 */
export const craftedJobs = (mine: string, theirs: string, { job, candidate }: Target) => [
  `${theirs}#JOB#${job}`,
  `TENANT#${theirs}#JOB#${job}`,
  `TENANT#${encodeURIComponent(theirs)}#JOB#${encodeURIComponent(job)}`,
  `${job}#JOB`,
  `${job}#APPLICATION#${candidate}`,
  `#JOB#${job}`,
  // The rest of the key if one tenant's name is the beginning of the other name.
  `${theirs.replace(`${mine}#JOB#`, '')}#JOB#${job}`,
  `../${theirs}/${job}`,
  encodeURIComponent(job),
];

/** Returns such ids of candidates. */
export const craftedCandidates = (theirs: string, { job, candidate }: Target) => [
  'JOB',
  'APPLICATION',
  `APPLICATION#${candidate}`,
  `APPLICATION%23${encodeURIComponent(candidate)}`,
  `TENANT#${theirs}#JOB#${job}#APPLICATION#${candidate}`,
  encodeURIComponent(candidate),
];
