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

/** Ids of jobs that would reach the job of `theirs` for a caller of `mine`, if keys were joined or compared carelessly. */
export const craftedJobs = (mine: string, theirs: string, { job, candidate }: Target) => [
  `${theirs}#JOB#${job}`,
  `TENANT#${theirs}#JOB#${job}`,
  `TENANT#${encodeURIComponent(theirs)}#JOB#${encodeURIComponent(job)}`,
  `${job}#JOB`,
  `${job}#APPLICATION#${candidate}`,
  `#JOB#${job}`,
  // What is missing if the tenant's name is the beginning of another's.
  `${theirs.replace(`${mine}#JOB#`, '')}#JOB#${job}`,
  `../${theirs}/${job}`,
  encodeURIComponent(job),
];

/** The same of candidates. */
export const craftedCandidates = (theirs: string, { job, candidate }: Target) => [
  'JOB',
  'APPLICATION',
  `APPLICATION#${candidate}`,
  `APPLICATION%23${encodeURIComponent(candidate)}`,
  `TENANT#${theirs}#JOB#${job}#APPLICATION#${candidate}`,
  encodeURIComponent(candidate),
];
