import { createHash } from 'node:crypto';
import { jobKey } from '../../functions/store/keys.ts';
import { randomFrom, shuffle } from './random.ts';
import { cumulated, indexAbove, zipfShares } from './zipf.ts';

/** What a simulated table holds, and how unevenly it is read. */
export interface PopulationOptions {
  applications: number;
  jobs: number;
  /** Of Zipf's law: of the reads over applications, and of the applications over jobs. */
  exponent: number;
  /** Chooses the applications' jobs, the jobs' ids and the order of the applications of a job. */
  seed: number;
}

/** A table with its reads. All shares are of the table's reads and sum up to 1. */
export interface Population {
  /** Of each application, the most read first. */
  shares: Float64Array;
  /** The job of each application. */
  jobOf: Uint32Array;
  /** Of each job, the sum of its applications. */
  jobShares: Float64Array;
  /** How many applications each job has. */
  sizes: Uint32Array;
  /** Where each job lies in the hash space, from 0 to below 1. */
  places: Float64Array;
  random: () => number;
}

/** Draws a job for each application, so that large jobs are read more, and small ones may be too. */
export function populate({ applications, jobs, exponent, seed }: PopulationOptions): Population {
  const random = randomFrom(seed);
  const shares = zipfShares(applications, exponent);
  const sums = cumulated(zipfShares(jobs, exponent));
  const jobOf = new Uint32Array(applications);
  const jobShares = new Float64Array(jobs);
  const sizes = new Uint32Array(jobs);
  for (const [index, share] of shares.entries()) {
    const job = indexAbove(sums, random());
    jobOf[index] = job;
    jobShares[job] = (jobShares[job] ?? 0) + share;
    sizes[job] = (sizes[job] ?? 0) + 1;
  }
  const places = Float64Array.from({ length: jobs }, (_, job) => placeOf(`${seed}-${job}`));
  return { shares, jobOf, jobShares, sizes, places, random };
}

/**
 * Where a job's items lie. DynamoDB does not document its hash function: MD5 stands for any good one.
 * The key is the service's own.
 */
function placeOf(job: string): number {
  const digest = createHash('md5').update(jobKey('default', job).pk).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** What the table can be split between: its items, in the order of their keys. */
export interface Pieces {
  /** Where each one's partition key lies, ascending. */
  places: Float64Array;
  /** The shares of reads up to each one and with it. */
  sums: Float64Array;
}

/**
 * Lays the table out in the order of its keys. A job with a share up to `whole` stays in one piece, as
 * it never needs to be split; of the others each application is a piece, in an order of chance, as the
 * order of candidates' ids has nothing to do with who is read most.
 */
export function layOut(population: Population, whole: number): Pieces {
  const { jobShares, sizes, places, random } = population;
  const order = Uint32Array.from(places.keys()).sort((a, b) => at(places, a) - at(places, b));
  const members = applicationsOf(population, whole);
  const count = order.reduce((sum, job) => sum + (members.has(job) ? (sizes[job] ?? 0) : 1), 0);
  const laid = { places: new Float64Array(count), shares: new Float64Array(count) };
  let next = 0;
  for (const job of order) {
    const own = members.get(job) ?? Float64Array.of(at(jobShares, job));
    shuffle(own, random);
    laid.shares.set(own, next);
    laid.places.fill(at(places, job), next, next + own.length);
    next += own.length;
  }
  return { places: laid.places, sums: cumulated(laid.shares) };
}

/** The shares of the applications of each job whose own share is above `whole`. */
function applicationsOf({ shares, jobOf, jobShares, sizes }: Population, whole: number) {
  const members = new Map<number, Float64Array>();
  for (const [job, share] of jobShares.entries()) {
    if (share > whole) members.set(job, new Float64Array(sizes[job] ?? 0));
  }
  const filled = new Uint32Array(jobShares.length);
  for (const [index, share] of shares.entries()) {
    const job = jobOf[index] ?? 0;
    const own = members.get(job);
    if (own === undefined) continue;
    own[filled[job] ?? 0] = share;
    filled[job] = (filled[job] ?? 0) + 1;
  }
  return members;
}

const at = (values: Float64Array, index: number) => values[index] ?? 0;
