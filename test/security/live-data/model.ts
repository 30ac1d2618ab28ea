import type { JobStatus } from '../../../functions/domain/job.ts';
import { applicationKey, candidateKey, erasureKey, jobKey } from '../../../functions/store/keys.ts';
import { leastApplication } from '../../support/items.ts';

type Item = Readonly<Record<string, unknown>>;

export const jobs = ['j-0', 'j-1'] as const;
export const candidates = ['c-0', 'c-1'] as const;
export type Application = readonly [job: string, candidate: string];
export const applications: readonly Application[] = jobs.flatMap((job) =>
  candidates.map((candidate) => [job, candidate] as const),
);

/** What was sent for an application. A record without a revision has 0: it is older than any. */
export interface Write {
  kind: 'put' | 'removal';
  revision: number;
  /** Whether a program got the response. Otherwise nobody knows whether the write was applied. */
  isAnswered: boolean;
  /** Whether an erasure began after that. It erases the application even if its revision is in the future. */
  isErased?: boolean;
}

export interface StatusChange {
  id: string;
  status: JobStatus;
  /** The version in the response. */
  version?: number;
}

/** What a job is created with, by whoever creates it. */
export const FIRST_STATUS = 'draft';
/** Greater than the expiry of any tombstone: of applications, in seconds since 1970. */
const LEAST_EXPIRY = 4_000_000_000;

/** The record of an application at a revision. Some have an expiry of their own. */
export const recordAt = ([job_id, user_id]: Application, revision: number) => ({
  job_id,
  ...leastApplication,
  user_id,
  name: `Example ${revision}`,
  ...((revision / 1000) % 5 === 1 && { expires_at: LEAST_EXPIRY + (revision % 1_000_000) }),
});

/** All that programs have sent and been told, and what must therefore be stored when nothing is under way. */
export class Model {
  readonly #writes = new Map<Application, Write[]>();
  readonly #changes = new Map<string, StatusChange[]>();
  /** The jobs that a program was told of. */
  readonly known = new Set<string>();
  /** When each erasure that has ended began, in milliseconds since 1970. */
  erasures: { candidate: string; began: number }[] = [];
  /** The applications that have had an expiry since an import gave one to each stored application. */
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

  /** Forgets the writes of an application but this one, because the table has forgotten them. */
  forget(application: Application, write: Write | undefined): void {
    this.#writes.set(application, write ? [write] : []);
    this.retained.delete(application);
  }

  /** Returns how the items of the table contradict what was sent. */
  faultsOf(items: readonly Item[]): string[] {
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

  /** The greatest write stays, unless a removal or an erasure is not older. */
  #faultsOfApplication(application: Application, item: Item | undefined, erased: unknown = -1) {
    const writes = this.writesOf(application).toSorted(inOrder);
    const answered = writes.findLastIndex(({ isAnswered }) => isAnswered);
    const possible = writes.slice(Math.max(0, answered));
    const isGone = ({ kind, revision, isErased = false }: Write) =>
      kind === 'removal' || isErased || revision <= Number(erased);
    const who = `The application of ${application}`;
    if (item === undefined || item.removed === true) {
      const isShort = Object.keys(item ?? {}).length <= 5;
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

  /** A job has the status that the API gave it last, whatever created it again. */
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

/** By revision; a removal is the greater of two writes with the same. */
const inOrder = (one: Write, other: Write) =>
  one.revision - other.revision ||
  Number(one.kind === 'removal') - Number(other.kind === 'removal');
