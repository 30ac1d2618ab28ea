import type { JobStatus } from '../../../functions/domain/job.ts';
import { applicationKey, candidateKey, erasureKey, jobKey } from '../../../functions/store/keys.ts';
import type { Candidate } from '../../../infra/data/candidate/find-applications.ts';
import { CLOCK_MARGIN_MS } from '../../../infra/data/records/record-schema.ts';
import { leastApplication } from '../../support/items.ts';

import { START } from './simulation.ts';

type Item = Readonly<Record<string, unknown>>;

/** Both tenants have the same ids. */
export const tenants = ['default', 'acme'] as const;
const pairs = <T>(ids: readonly string[], of: (tenant: string, id: string) => T) =>
  tenants.flatMap((tenant) => ids.map((id) => of(tenant, id)));
export interface Job {
  readonly tenant: string;
  readonly id: string;
}
export const jobs: readonly Job[] = pairs(['j-0', 'j-1'], (tenant, id) => ({ tenant, id }));
export const candidates: readonly Candidate[] = pairs(['c-0', 'c-1'], (tenant, id) => ({
  tenant,
  id,
}));
export interface Application {
  readonly tenant: string;
  readonly job: string;
  readonly candidate: string;
}
export const orderedApplications: readonly Application[] = jobs.flatMap(({ tenant, id: job }) =>
  candidates
    .filter((candidate) => candidate.tenant === tenant)
    .map(({ id }) => ({ tenant, job, candidate: id })),
);
/** Only imports with `--replace` write it, so the last one wins, whatever its revision. Nobody creates its job. */
export const replacedApplication: Application = { tenant: 'default', job: 'j-2', candidate: 'c-1' };
export const applications = [...orderedApplications, replacedApplication];

/** Records without a revision have the revision 0. */
export interface Write {
  kind: 'put' | 'removal';
  revision: number;
  /** If false, nobody knows whether the write was applied. */
  isAnswered: boolean;
  /** Refused because its revision was too far ahead. */
  isRefused?: boolean;
  /** Removed by an erasure whose revision is, or has become, lower: a late attempt may store it again. */
  mayBeErased?: boolean;
  /** Replaced by this later write, unless an erasure refuses the later one. */
  replacedBy?: Write;
  /** When the application in a state's line was made. An erasure that is at least as new refuses the line. */
  madeAt?: number | undefined;
  createdAt?: number;
}

/** All that a source has at `completeAt`. */
export interface State {
  tenant: string;
  applications: readonly Application[];
  removeAtMost: number;
  completeAt: number;
  /** When all its applications were made, in milliseconds since 1970. */
  createdAt: number;
}

export const putOf = (state: State): Write => ({
  kind: 'put',
  revision: stateRevision(state),
  isAnswered: false,
  madeAt: state.createdAt,
  createdAt: state.createdAt,
});

export const stateRevision = ({ completeAt }: State) => completeAt - CLOCK_MARGIN_MS;

interface StatusChange {
  id: string;
  status: JobStatus;
  /** From the response, if there was one. */
  version?: number;
  /** In virtual time; undefined while it is under way. */
  endedAt?: number;
  /** Whether its clock was ahead by more than an import's margin. */
  isFast: boolean;
}

interface Replacement {
  status: JobStatus;
  sentAt: number;
  endedAt?: number;
  isAnswered: boolean;
  /** The job was new, so it has no fence: a late attempt of a change may still be applied. */
  isCreation: boolean;
}

export const FIRST_STATUS = 'draft';
/** `pk`, `sk`, `removed`, `revision` and `expires_at`. */
const TOMBSTONE_ATTRIBUTES = 5;
/** Applications expire at this time or later, and tombstones earlier. Seconds since 1970. */
const LEAST_EXPIRY = 4_000_000_000;

export const recordAt = ({ tenant, job, candidate }: Application, revision: number) => ({
  tenant,
  job_id: job,
  ...leastApplication,
  user_id: candidate,
  name: `Example ${revision}`,
  ...((revision / 1000) % 5 === 1 && { expires_at: LEAST_EXPIRY + (revision % 1_000_000) }),
});

/** In one tenant, the last line has an invalid `phone`: it is refused, but its application is not removed. */
export const stateLinesOf = (state: State): string[] => {
  const revision = stateRevision(state);
  const created_at = new Date(state.createdAt).toISOString();
  const lines = state.applications.map((application) => ({
    ...{ type: 'application', ...recordAt(application, revision), created_at },
    revision: START,
  }));
  const kept = { type: 'application', ...recordAt(replacedApplication, revision), phone: '1' };
  const all = state.tenant === replacedApplication.tenant ? [...lines, kept] : lines;
  return all.map((each) => JSON.stringify(each));
};

/** Records what the programs sent and got back, and derives what must be stored when no request is under way. */
export class Model {
  readonly #writes = new Map<Application, Write[]>();
  readonly #changes = new Map<Job, StatusChange[]>();
  readonly #replacements = new Map<Job, Replacement[]>();
  /** Application -> greatest revision that an erasure removed. Nothing up to it may be stored again. */
  readonly #removed = new Map<Application, number>();
  readonly known = new Set<Job>();
  /** Finished erasures. Each must be stored with at least this revision. */
  erasures: { candidate: Candidate; revision: number }[] = [];
  readonly faults: string[] = [];
  /** Applications that must have an expiry, because an import gave one to all that were stored. */
  readonly retained = new Set<Application>();

  writesOf = (application: Application) => this.#writes.get(application) ?? [];

  addWrite(application: Application, write: Write): Write {
    this.#writes.set(application, [...this.writesOf(application), write]);
    return write;
  }

  addChange(job: Job, change: StatusChange): StatusChange {
    this.#changes.set(job, [...(this.#changes.get(job) ?? []), change]);
    return change;
  }

  addReplacement(job: Job, replacement: Replacement): Replacement {
    this.#replacements.set(job, [...(this.#replacements.get(job) ?? []), replacement]);
    return replacement;
  }

  /** @param isCovered whether the erasure's revision is at least the application's. */
  addRemoved(application: Application, revision: number, isCovered: boolean): void {
    if (isCovered) {
      const before = this.#removed.get(application) ?? -1;
      this.#removed.set(application, Math.max(before, revision));
    } else {
      for (const write of this.writesOf(application)) {
        if (write.revision === revision) write.mayBeErased = true;
      }
    }
  }

  #states = 0;

  /** Returns a time whose milliseconds no other revision has. */
  newTime(at: number): number {
    this.#states += 1;
    return 1000 * Math.floor(at / 1000) + this.#states;
  }

  /** @returns the writes that the state's lines make, and its removals. */
  addState(state: State): { puts: Write[]; removals: Write[] } {
    const revision = stateRevision(state);
    const isIn = (application: Application) => state.applications.includes(application);
    const own = orderedApplications.filter(({ tenant }) => tenant === state.tenant);
    return {
      puts: own.filter(isIn).map((application) => this.addWrite(application, putOf(state))),
      removals: own
        .filter((application) => !isIn(application))
        .map((application) => {
          const removal = { kind: 'removal', revision: revision - 1, isAnswered: false } as const;
          this.retained.delete(application);
          return this.addWrite(application, removal);
        }),
    };
  }

  /** For an erasure imported after a state: it leaves an application that the state has made newer. */
  allowOlder({ tenant, id }: Candidate): void {
    for (const application of applications) {
      if (application.tenant !== tenant || application.candidate !== id) continue;
      for (const write of this.writesOf(application)) {
        if (write.madeAt !== undefined) write.mayBeErased = true;
        write.madeAt = undefined;
      }
    }
  }

  /** After a restore, only imported erasures apply, and a raised one may be as low as before. */
  forgetRemoved(): void {
    for (const [application, revision] of this.#removed) {
      for (const write of this.writesOf(application)) {
        if (write.revision <= revision) write.mayBeErased = true;
      }
    }
    this.#removed.clear();
  }

  /** An application that `lines` erase may come back without the expiry that an import gave to all. */
  expectErasures(lines: readonly string[]): void {
    const erasures = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'erasure');
    for (const application of applications) {
      const { tenant, candidate } = application;
      const isErased = erasures.some(
        (each) => each.tenant === tenant && each.user_id === candidate,
      );
      if (isErased) this.retained.delete(application);
    }
  }

  /** From now on, only `write` decides what must be stored. */
  forget(application: Application, write: Write | undefined): void {
    this.#writes.set(application, write ? [write] : []);
    this.retained.delete(application);
    this.#removed.delete(application);
  }

  contradictionsIn(items: readonly Item[]): string[] {
    const at = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
    const take = ({ pk, sk }: { pk: string; sk: string }) => {
      const item = at.get(`${pk} ${sk}`);
      at.delete(`${pk} ${sk}`);
      return item;
    };
    const erased = new Map<string, unknown>(
      candidates.map(({ tenant, id }) => [
        erasureKey(tenant, id).pk,
        take(erasureKey(tenant, id))?.revision,
      ]),
    );
    const erasedUpTo = (tenant: string, id: string) => erased.get(erasureKey(tenant, id).pk);
    return [
      ...this.faults.splice(0),
      ...this.erasures.flatMap(({ candidate, revision }) => {
        const stored = erasedUpTo(candidate.tenant, candidate.id);
        const isRecorded = Number(stored) >= revision;
        return isRecorded ? [] : [`The erasure of ${candidate.id} is ${stored}, not ${revision}.`];
      }),
      ...applications.flatMap((application) => {
        const { tenant, job, candidate } = application;
        const item = take(applicationKey(tenant, job, candidate));
        return this.#faultsOfApplication(application, item, erasedUpTo(tenant, candidate));
      }),
      ...jobs.flatMap((job) => this.#faultsOfJob(job, take(jobKey(job.tenant, job.id)))),
      ...[...at.values()].map(({ sk }) => `Left: ${sk}.`),
    ];
  }

  /**
   * What must be stored is the answered write with the greatest revision, or an unanswered write above that. Removals
   * and erasures win over writes with the same or a smaller revision.
   */
  #faultsOfApplication(application: Application, item: Item | undefined, erased: unknown = -1) {
    const sent = this.writesOf(application).filter(({ isRefused = false }) => !isRefused);
    const isOrdered = application !== replacedApplication;
    const writes = isOrdered ? sent.toSorted(inOrder) : sent;
    const least = Math.max(Number(erased), this.#removed.get(application) ?? -1);
    const isErased = ({ revision, madeAt = revision }: Write) =>
      Math.min(madeAt, revision) <= least;
    const isGone = (write: Write) => write.kind === 'removal' || isErased(write);
    // An erased line of a state replaces nothing, although its revision is greater.
    const answered = writes.findLastIndex(
      (write) =>
        write.isAnswered && !write.mayBeErased && (write.kind === 'removal' || !isErased(write)),
    );
    const possible = isOrdered
      ? writes.slice(Math.max(0, answered))
      : writes.filter(({ replacedBy }) => replacedBy === undefined || isGone(replacedBy));
    const { tenant, job, candidate } = application;
    const who = `The application of ${[tenant, job, candidate]}`;
    if (item === undefined || item.removed === true) {
      const isShort = Object.keys(item ?? {}).length <= TOMBSTONE_ATTRIBUTES;
      if (!isShort) return [`${who} has a tombstone with ${Object.keys(item ?? {})}.`];
      const mayBeGone =
        answered < 0 || possible.some((each) => isGone(each) || each.mayBeErased === true);
      return mayBeGone ? [] : [`${who} is gone, but not ${JSON.stringify(possible)}.`];
    }
    const { revision = 0, expires_at: expiry, ...members } = item;
    const write = possible.find((each) => each.revision === revision && !isGone(each));
    if (write === undefined) {
      return [`${who} has ${revision}, not ${JSON.stringify(possible)}, erased up to ${least}.`];
    }
    const { expires_at: ownExpiry, tenant: _, ...record } = recordAt(application, write.revision);
    const { createdAt } = write;
    const expected = {
      ...{ ...record, ...candidateKey(tenant, candidate) },
      ...(createdAt !== undefined && { created_at: new Date(createdAt).toISOString() }),
    };
    const others = Object.entries(expected).filter(([name, value]) => members[name] !== value);
    const isExpiryLost = expiry === undefined && this.retained.has(application);
    const isOwn = ownExpiry === undefined || expiry === ownExpiry;
    const isExpiry = expiry === undefined ? !isExpiryLost : Number(expiry) >= LEAST_EXPIRY;
    return [
      ...others.map(([name]) => `${who} has another ${name}.`),
      ...(isOwn && isExpiry ? [] : [`${who} expires at ${expiry}.`]),
    ];
  }

  /**
   * The last status that the API set must be stored, even if a program tried to create the job again. After an import
   * with `--replace`, it must be the import's status, or one set by a request that ended after the import began.
   */
  #faultsOfJob(job: Job, item: Item | undefined): string[] {
    const changes = this.#changes.get(job) ?? [];
    const replacements = this.#replacements.get(job) ?? [];
    if (item === undefined) {
      const isKnown =
        this.known.has(job) ||
        changes.some(({ version }) => version !== undefined) ||
        replacements.some(({ isAnswered }) => isAnswered);
      return isKnown ? [`${job.id} is gone.`] : [];
    }
    const { status, version, last_change_id: id } = item;
    const newest = Math.max(1, ...changes.map((change) => change.version ?? 1));
    const last = changes.find((change) => change.id === id);
    const isLast = version === 1 || last?.version === version || last?.version === undefined;
    const replaced = replacements.findLast((each) => each.isAnswered && !each.isCreation);
    const since = replaced?.sentAt ?? Number.NEGATIVE_INFINITY;
    const isLate = ({ endedAt = Number.POSITIVE_INFINITY }: { endedAt?: number }) =>
      endedAt >= since;
    const expected: unknown[] =
      replacements.length === 0
        ? [version === 1 ? FIRST_STATUS : last?.status]
        : [
            ...(replaced ? [] : [FIRST_STATUS]),
            ...replacements.filter(isLate).map((each) => each.status),
            ...changes.filter((each) => each.isFast || isLate(each)).map((each) => each.status),
          ];
    const isVersion = Number(version) >= newest && (isLast || replacements.length > 0);
    if (isVersion && expected.includes(status)) return [];
    return [`${job.id} is ${status} at version ${version}, not ${expected} at ${newest}.`];
  }
}

/** By revision; of two equal ones, the removal comes last. */
const inOrder = (one: Write, other: Write) =>
  one.revision - other.revision ||
  Number(one.kind === 'removal') - Number(other.kind === 'removal');
