import type { JobStatus } from '../../../functions/domain/job.ts';
import { applicationKey, candidateKey, erasureKey, jobKey } from '../../../functions/store/keys.ts';
import { leastApplication } from '../../support/items.ts';

type Item = Readonly<Record<string, unknown>>;

export const jobs = ['j-0', 'j-1'] as const;
export const candidates = ['c-0', 'c-1'] as const;
export type Application = readonly [job: string, candidate: string];
export const orderedApplications: readonly Application[] = jobs.flatMap((job) =>
  candidates.map((candidate) => [job, candidate] as const),
);
/**
 * Imports without `--keep-newer` write this application at the same time, so any of their revisions may remain. Nobody
 * creates its job.
 */
export const unorderedApplication: Application = ['j-2', candidates[1]];
export const applications = [...orderedApplications, unorderedApplication];

/** Records without a revision have the revision 0. */
export interface Write {
  kind: 'put' | 'removal';
  revision: number;
  /** If false, nobody knows whether the write was applied. */
  isAnswered: boolean;
  /**
   * True if an erasure searched the table after the response to this write. Such an erasure removes the application
   * even if the revision of the write is later.
   */
  isErased?: boolean;
}

interface StatusChange {
  id: string;
  status: JobStatus;
  /** From the response, if there was one. */
  version?: number;
}

export const FIRST_STATUS = 'draft';
/** The two parts of its key, `removed`, `revision` and `expires_at`. */
const TOMBSTONE_ATTRIBUTES = 5;
/** Earliest expiry of an application, in seconds since 1970. Later than the expiry of any tombstone. */
const LEAST_EXPIRY = 4_000_000_000;

export const recordAt = ([job_id, user_id]: Application, revision: number) => ({
  job_id,
  ...leastApplication,
  user_id,
  name: `Example ${revision}`,
  ...((revision / 1000) % 5 === 1 && { expires_at: LEAST_EXPIRY + (revision % 1_000_000) }),
});

/** Records what the programs sent and got back. From this follows what must be stored when no request is under way. */
export class Model {
  readonly #writes = new Map<Application, Write[]>();
  readonly #changes = new Map<string, StatusChange[]>();
  readonly known = new Set<string>();
  /** Only erasures that have finished; `began` is in milliseconds since 1970. */
  erasures: { candidate: string; began: number }[] = [];
  /** Applications that must have an expiry, because an import gave one to all that were stored. */
  readonly retained = new Set<Application>();

  writesOf = (application: Application) => this.#writes.get(application) ?? [];

  addWrite(application: Application, write: Write): Write {
    this.#writes.set(application, [...this.writesOf(application), write]);
    return write;
  }

  addChange(job: string, change: StatusChange): StatusChange {
    this.#changes.set(job, [...(this.#changes.get(job) ?? []), change]);
    return change;
  }

  /** From now on, what must be stored depends on `write`, and no longer on earlier writes. */
  forget(application: Application, write: Write | undefined): void {
    this.#writes.set(application, write ? [write] : []);
    this.retained.delete(application);
  }

  contradictionsIn(items: readonly Item[]): string[] {
    const at = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
    const take = ({ pk, sk }: { pk: string; sk: string }) => {
      const item = at.get(`${pk} ${sk}`);
      at.delete(`${pk} ${sk}`);
      return item;
    };
    const erased = new Map<string, unknown>(
      candidates.map((candidate) => [candidate, take(erasureKey('default', candidate))?.revision]),
    );
    return [
      ...this.erasures.flatMap(({ candidate, began }) => {
        const isRecorded = Number(erased.get(candidate)) >= began;
        return isRecorded ? [] : [`The erasure of ${candidate} is not recorded.`];
      }),
      ...applications.flatMap((application) => {
        const item = take(applicationKey('default', ...application));
        return this.#faultsOfApplication(application, item, erased.get(application[1]));
      }),
      ...jobs.flatMap((job) => this.#faultsOfJob(job, take(jobKey('default', job)))),
      ...[...at.values()].map(({ sk }) => `Left: ${sk}.`),
    ];
  }

  /**
   * What must be stored is the answered write with the greatest revision, or an unanswered write with a greater one. A
   * removal or an erasure prevails over a write with the same or a smaller revision.
   */
  #faultsOfApplication(application: Application, item: Item | undefined, erased: unknown = -1) {
    const writes = this.writesOf(application).toSorted(inOrder);
    const answered = writes.findLastIndex(({ isAnswered }) => isAnswered);
    const isOrdered = application !== unorderedApplication;
    const possible = isOrdered ? writes.slice(Math.max(0, answered)) : writes;
    const isGone = ({ kind, revision, isErased = false }: Write) =>
      kind === 'removal' || isErased || revision <= Number(erased);
    const who = `The application of ${application}`;
    if (item === undefined || item.removed === true) {
      const isShort = Object.keys(item ?? {}).length <= TOMBSTONE_ATTRIBUTES;
      if (!isShort) return [`${who} has a tombstone with ${Object.keys(item ?? {})}.`];
      const mayBeGone = answered < 0 || possible.some(isGone);
      return mayBeGone ? [] : [`${who} is gone, but not ${JSON.stringify(possible)}.`];
    }
    const { revision = 0, expires_at: expiry, ...members } = item;
    const write = possible.find((each) => each.revision === revision && !isGone(each));
    if (write === undefined) {
      return [`${who} has ${revision}, not ${JSON.stringify(possible)}, erased at ${erased}.`];
    }
    const { expires_at: ownExpiry, ...record } = recordAt(application, write.revision);
    const expected = { ...record, ...candidateKey('default', application[1]) };
    const others = Object.entries(expected).filter(([name, value]) => members[name] !== value);
    const isExpiryLost = expiry === undefined && this.retained.has(application);
    const isOwn = ownExpiry === undefined || expiry === ownExpiry;
    const isExpiry = expiry === undefined ? !isExpiryLost : Number(expiry) >= LEAST_EXPIRY;
    return [
      ...others.map(([name]) => `${who} has another ${name}.`),
      ...(isOwn && isExpiry ? [] : [`${who} expires at ${expiry}.`]),
    ];
  }

  /** The last status that the API set must be stored, even if a program has tried to create the job again. */
  #faultsOfJob(job: string, item: Item | undefined): string[] {
    const changes = this.#changes.get(job) ?? [];
    if (item === undefined) {
      const isKnown = this.known.has(job) || changes.some(({ version }) => version !== undefined);
      return isKnown ? [`${job} is gone.`] : [];
    }
    const { status, version, last_change_id: id } = item;
    const newest = Math.max(1, ...changes.map((change) => change.version ?? 1));
    const last = changes.find((change) => change.id === id);
    const isLast = version === 1 || last?.version === version || last?.version === undefined;
    const expected = version === 1 ? FIRST_STATUS : last?.status;
    if (Number(version) >= newest && isLast && status === expected) return [];
    return [`${job} is ${status} at version ${version}, not ${expected} at ${newest}.`];
  }
}

/** By revision; of two writes with the same revision, the removal comes last. */
const inOrder = (one: Write, other: Write) =>
  one.revision - other.revision ||
  Number(one.kind === 'removal') - Number(other.kind === 'removal');
