import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Problem } from '../../../functions/contract/problem.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import type { Dependencies } from '../../../functions/platform/dependencies.ts';
import { applicationKey, erasureKey, jobKey, type Key } from '../../../functions/store/keys.ts';
import { setJobStatus } from '../../../functions/store/set-job-status.ts';
import { NoResponseError } from '../../../functions/store/transport.ts';
import {
  completeErasures,
  eraseCandidate,
  searchLimits,
} from '../../../infra/data/candidate/erase-candidate.ts';
import type { Candidate } from '../../../infra/data/candidate/find-applications.ts';
import { recordedErasure } from '../../../infra/data/candidate/start-erasure.ts';
import { CLOCK_MARGIN_MS } from '../../../infra/data/records/record-schema.ts';
import type { Table } from '../../../infra/data/records/table.ts';
import { InvalidRecord, recordWriter } from '../../../infra/data/writer/record-writer.ts';
import type { Action, Operation, StateShape } from './histories.ts';
import {
  type Application,
  applications,
  FIRST_STATUS,
  type Job,
  jobs,
  type Model,
  recordAt,
  replacedApplication,
  type State,
  stateLinesOf,
  type Write,
} from './model.ts';
import { by, directly, START, type VirtualTime } from './simulation.ts';
import { exportedFrom, importInto, importStateInto } from './stored.ts';

export interface World {
  table: Table;
  time: VirtualTime;
  model: Model;
}

export async function perform(world: World, operation: Operation): Promise<void> {
  const { action, startMs, deliveries } = operation;
  await world.time.sleep(startMs);
  await by({ time: world.time, deliveries }, () => new Program(world, operation).act(action));
}

class Program {
  readonly #world: World;
  readonly #retries: number;
  readonly #retryMs: number;
  readonly #clock: () => number;

  constructor(world: World, { aheadMs, retries, retryMs }: Operation) {
    this.#world = world;
    this.#retries = retries;
    this.#retryMs = retryMs;
    const { time } = world;
    // Whole milliseconds, like `Date.now()`: random pauses before retries add fractions to virtual time.
    this.#clock = () => START + Math.floor(time.now) + aheadMs;
  }

  act(action: Action): Promise<unknown> {
    switch (action.kind) {
      case 'put':
        return this.#put(action.application, action.revision);
      case 'removal':
        return this.#remove(action.application, action.revision);
      case 'createJob':
        return this.#createJob(action.job);
      case 'setStatus':
        return this.#setStatus(action);
      case 'import':
        return this.#import(action.application, action.revision);
      case 'replace':
        return this.#replace(action.revisions);
      case 'replaceJob':
        return this.#replaceJob(action.job, action.status);
      case 'exportAndImport':
        return this.#exportAndImport(action.afterMs);
      case 'importErasure':
        return this.#importErasure(action.candidate, action.revision);
      case 'state':
        return this.#state(action);
      case 'erase':
        return this.#erase(action);
    }
  }

  #put(application: Application, revision: number) {
    const record = recordAt(application, revision);
    return this.#write(application, { kind: 'put', revision }, () =>
      this.#writer().putApplication(record, revision),
    );
  }

  #remove(application: Application, revision: number) {
    const { tenant, job: job_id, candidate: user_id } = application;
    this.#world.model.retained.delete(application);
    return this.#write(application, { kind: 'removal', revision }, () =>
      this.#writer().removeApplication({ tenant, job_id, user_id }, revision),
    );
  }

  async #createJob(job: Job) {
    const create = () => this.#writer().createJob({ ...job, status: FIRST_STATUS });
    if (await this.#isAnswered(create)) this.#world.model.known.add(job);
  }

  async #setStatus({ job, status, aheadMs }: Extract<Action, { kind: 'setStatus' }>) {
    const { table, time, model } = this.#world;
    const environment = { tableName: table.name, transitionPolicy: 'any' };
    const { timer } = time;
    const clock = () => ({ date: START + Math.floor(time.now) + aheadMs, monotonic: time.now });
    const dependencies = { client: table.client, environment, clock, timer };
    const id = crypto.randomUUID();
    const change = model.addChange(job, { id, status, isFast: aheadMs > CLOCK_MARGIN_MS });
    const request = { tenant: job.tenant, job: job.id, status, subject: 'r-1', changeId: id };
    const { signal } = new AbortController();
    try {
      const set = await setJobStatus(dependencies as Dependencies, request, signal);
      if (set.isChanged) change.version = set.version;
    } catch (error) {
      // No such job, or an unknown outcome: the model allows both.
      if (!(error instanceof Problem)) throw error;
    }
    change.endedAt = time.now;
  }

  async #import(application: Application, revision: number) {
    const load = () => this.#load(linesOf(application, revision));
    const { isAnswered } = await this.#write(application, { kind: 'put', revision }, load);
    const { tenant, job: id } = application;
    const job = jobs.find((each) => each.tenant === tenant && each.id === id);
    if (isAnswered && job) this.#world.model.known.add(job);
  }

  /**
   * The second line must remain, unless the program repeated the import: then a lost attempt to store the first line
   * may arrive last.
   */
  async #replace(revisions: readonly [number, number]) {
    const { model } = this.#world;
    model.retained.delete(replacedApplication);
    const writes = revisions.map((revision) =>
      model.addWrite(replacedApplication, { kind: 'put', revision, isAnswered: false }),
    );
    const lines = revisions.flatMap((revision) =>
      linesOf(replacedApplication, revision).slice(0, 1),
    );
    const load = (): Promise<boolean> => this.#load(lines, { replaces: true });
    const [first, last] = writes;
    if (!(await this.#isAnswered(load, first)) || last === undefined || this.#wasRepeated) return;
    last.isAnswered = true;
    if (first) first.replacedBy = last;
  }

  async #replaceJob(job: Job, status: JobStatus) {
    const { model, time, table } = this.#world;
    const isCreation = (await itemAt(table, jobKey(job.tenant, job.id))) === undefined;
    const sent = { status, sentAt: time.now, isAnswered: false, isCreation };
    const replacement = model.addReplacement(job, sent);
    const lines = [JSON.stringify({ type: 'job', ...job, status })];
    replacement.isAnswered = await this.#isAnswered(() => this.#load(lines, { replaces: true }));
    replacement.endedAt = time.now;
  }

  async #importErasure(candidate: Candidate, revision: number) {
    const { tenant, id } = candidate;
    const { model, time, table } = this.#world;
    const latest = () => START + Math.floor(time.now) + CLOCK_MARGIN_MS;
    const least = Math.min(revision, latest());
    const expires_at = Math.floor((START + time.now) / 1000) + 30 * 24 * 60 * 60;
    const line = JSON.stringify({ type: 'erasure', tenant, user_id: id, revision, expires_at });
    model.allowOlder(candidate);
    while (!(await this.#isAnswered(() => this.#load([line]))));
    model.allowOlder(candidate);
    model.erasures.push({ candidate, revision: least });
    const stored = await itemAt(table, erasureKey(tenant, id));
    // Another program may have raised its erasure up to the limit of a writer whose clock is a minute fast.
    const greatest = latest() + CLOCK_MARGIN_MS + 1000;
    if (stored && stored.revision > greatest) {
      model.faults.push(`An imported erasure of ${id} was not lowered: ${stored.revision}.`);
    }
  }

  async #load(lines: readonly string[], how: { replaces?: boolean } = {}): Promise<boolean> {
    const { table, time, model } = this.#world;
    const clock = () => START + Math.floor(time.now);
    model.expectErasures(lines);
    try {
      const refused = await importInto(table, lines, { ...how, clock, pause: time.sleep });
      return refused.size === 0;
    } finally {
      // Again, for writes sent meanwhile.
      model.expectErasures(lines);
    }
  }

  /** Its removals may find nothing to remove, so no tombstone is certain. */
  async #state(shape: Extract<Action, { kind: 'state' }>) {
    const { table, time, model } = this.#world;
    const state = stateOf(this.#world, shape);
    const { completeAt, removeAtMost } = state;
    const { puts, removals } = model.addState(state);
    const clock = () => START + Math.floor(time.now);
    const how = { completeAt, removeAtMost, clock, pause: time.sleep };
    let hindrance: unknown;
    const isAnswered = await this.#isAnswered(async () => {
      hindrance = await importStateInto(table, stateLinesOf(state), how);
    });
    for (const write of puts) write.isAnswered = isAnswered;
    const isHindered = isAnswered && !this.#wasRepeated && hindrance !== undefined;
    for (const write of removals) write.isRefused = isHindered;
  }

  async #exportAndImport(afterMs: number) {
    const { table, time } = this.#world;
    let lines: string[] = [];
    await this.#isAnswered(async () => {
      const all = await exportedFrom(table);
      lines = all.filter((line) => !line.includes(`"job_id":"${replacedApplication.job}"`));
    });
    await time.sleep(afterMs);
    await this.#isAnswered(() => this.#load(lines));
  }

  /**
   * A new erasure's revision is now plus the margin, and it also removes what is ahead of the present. A repeated one
   * leaves whatever is newer than it.
   */
  async #erase({ candidate, search, isNew }: Extract<Action, { kind: 'erase' }>) {
    const { table, time, model } = this.#world;
    const { tenant, id } = candidate;
    const own = applications.filter((each) => each.tenant === tenant && each.candidate === id);
    for (const application of own) model.retained.delete(application);
    const read = new Map<string, number>();
    let recorded: number | undefined;
    let least = 0;
    let searchedAt = time.now;
    let isRecordedNow = false;
    let isNewerNamed = false;
    const options = {
      table,
      search,
      beforeRemoval: async (key: Key) => {
        const { revision: stored = 0 } = (await itemAt(table, key)) ?? {};
        read.set(key.pk, stored);
      },
      onRemoved: async (key: Key) => {
        const removed = own.find(({ job }) => applicationKey(tenant, job, id).pk === key.pk);
        const revision = read.get(key.pk) ?? 0;
        const isCovered = revision <= (recorded ?? 0);
        if (removed) model.addRemoved(removed, revision, isCovered);
        if (!isCovered && !(isRecordedNow && revision > START + searchedAt)) {
          model.faults.push(`The erasure of ${id} as of ${recorded} removed ${revision}.`);
        }
      },
      onSkipped: async () => {
        isNewerNamed = true;
      },
      limits: searchLimits,
      pause: async (ms: number) => {
        await time.sleep(ms);
        searchedAt = time.now;
      },
    };
    const erase = async () => {
      const known = model.erasures.some((each) => each.candidate === candidate);
      const isAnother = isNew && !isRecordedNow;
      const earlier = isAnother ? undefined : await recordedErasure(table, candidate);
      if (known && !isAnother && !earlier) model.faults.push(`${id} was erased anew.`);
      isNewerNamed = false;
      isRecordedNow = earlier === undefined;
      recorded = earlier?.revision;
      if (earlier) {
        least = Math.max(least, earlier.revision);
        await completeErasures([earlier], options);
        return;
      }
      const beganAt = START + time.now;
      const onRecorded = async (revision: number) => {
        if (isNewerNamed) model.faults.push(`The erasure of ${id} was raised over what stays.`);
        recorded = revision;
        least = Math.max(least, beganAt + CLOCK_MARGIN_MS);
      };
      await eraseCandidate({ ...options, candidate, onRecorded });
    };
    // Operators repeat the command until it succeeds.
    while (!(await this.#isAnswered(erase)));
    model.erasures.push({ candidate, revision: least });
  }

  #writer() {
    const { client, name: table } = this.#world.table;
    return recordWriter({ client, table, tenantClaim: 'tenant', clock: this.#clock });
  }

  async #write(
    application: Application,
    sent: Pick<Write, 'kind' | 'revision'>,
    send: () => Promise<unknown>,
  ): Promise<Write> {
    const write = this.#world.model.addWrite(application, { ...sent, isAnswered: false });
    write.isAnswered = await this.#isAnswered(send, write);
    return write;
  }

  #wasRepeated = false;

  /** Repeats the work after a lost response. True if one run got all its responses. */
  async #isAnswered(work: () => Promise<unknown>, write?: Write): Promise<boolean> {
    for (let retry = 0; retry <= this.#retries; retry += 1) {
      try {
        this.#wasRepeated = retry > 0;
        return (await work()) !== false;
      } catch (error) {
        if (error instanceof InvalidRecord && write) {
          write.isRefused = retry === 0;
          return false;
        }
        if (!(error instanceof NoResponseError)) throw error;
        await this.#world.time.sleep(this.#retryMs);
      }
    }
    return false;
  }
}

export function stateOf({ time, model }: World, shape: StateShape): State {
  const { tenant, applications: own, removeAtMost, createdMs, aheadMs } = shape;
  const completeAt = model.newTime(START + Math.floor(time.now) + aheadMs);
  return { tenant, applications: own, removeAtMost, completeAt, createdAt: START + createdMs };
}

/** Read without delay, whatever the program's network does. */
async function itemAt({ client, name }: Table, { pk, sk }: Key) {
  const command = new GetCommand({ TableName: name, Key: { pk, sk }, ConsistentRead: true });
  const { Item: item } = await directly(() => client.send(command));
  return item;
}

export const linesOf = (application: Application, revision: number) => [
  JSON.stringify({
    type: 'application',
    ...recordAt(application, revision),
    ...(revision > 0 && { revision }),
  }),
  JSON.stringify({
    type: 'job',
    tenant: application.tenant,
    id: application.job,
    status: FIRST_STATUS,
  }),
];
