import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Problem } from '../../../functions/contract/problem.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import type { Dependencies } from '../../../functions/platform/dependencies.ts';
import { applicationKey, jobKey, type Key } from '../../../functions/store/keys.ts';
import { setJobStatus } from '../../../functions/store/set-job-status.ts';
import { NoResponseError } from '../../../functions/store/transport.ts';
import { eraseCandidate, searchLimits } from '../../../infra/operator/candidate/erase-candidate.ts';
import { CLOCK_MARGIN_MS } from '../../../infra/records/record-schema.ts';
import type { Table } from '../../../infra/records/table.ts';
import { InvalidRecord, recordWriter } from '../../../infra/writer/record-writer.ts';
import type { Action, Operation } from './histories.ts';
import {
  type Application,
  applications,
  FIRST_STATUS,
  type Model,
  recordAt,
  replacedApplication,
  type Write,
} from './model.ts';
import { by, directly, START, type VirtualTime } from './simulation.ts';
import { exportedFrom, importInto } from './stored.ts';

export interface World {
  table: Table;
  time: VirtualTime;
  model: Model;
}

const nothing = async () => undefined;

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
    // In whole milliseconds, like `Date.now()`. Virtual time has fractions after random pauses before retries.
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
    const [job_id, user_id] = application;
    this.#world.model.retained.delete(application);
    return this.#write(application, { kind: 'removal', revision }, () =>
      this.#writer().removeApplication({ job_id, user_id }, revision),
    );
  }

  async #createJob(id: string) {
    const create = () => this.#writer().createJob({ id, status: FIRST_STATUS });
    if (await this.#isAnswered(create)) this.#world.model.known.add(id);
  }

  async #setStatus({ job, status, aheadMs }: Extract<Action, { kind: 'setStatus' }>) {
    const { table, time, model } = this.#world;
    const environment = { tableName: table.name, transitionPolicy: 'any' };
    const { timer } = time;
    const clock = () => ({ date: START + Math.floor(time.now) + aheadMs, monotonic: time.now });
    const dependencies = { client: table.client, environment, clock, timer };
    const id = crypto.randomUUID();
    const change = model.addChange(job, { id, status, isFast: aheadMs > CLOCK_MARGIN_MS });
    const request = { tenant: 'default', job, status, subject: 'r-1', changeId: id };
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
    if (isAnswered) this.#world.model.known.add(application[0]);
  }

  /**
   * The later of the two lines must remain, unless the program has repeated the import: a lost attempt of the first one
   * may then come last.
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

  async #replaceJob(job: string, status: JobStatus) {
    const { model, time, table } = this.#world;
    const isCreation = (await itemAt(table, jobKey('default', job))) === undefined;
    const sent = { status, sentAt: time.now, isAnswered: false, isCreation };
    const replacement = model.addReplacement(job, sent);
    const lines = [JSON.stringify({ type: 'job', id: job, status })];
    replacement.isAnswered = await this.#isAnswered(() => this.#load(lines, { replaces: true }));
    replacement.endedAt = time.now;
  }

  async #importErasure(candidate: string, revision: number) {
    const { model, time } = this.#world;
    const expires_at = Math.floor((START + time.now) / 1000) + 30 * 24 * 60 * 60;
    const line = JSON.stringify({ type: 'erasure', user_id: candidate, revision, expires_at });
    while (!(await this.#isAnswered(() => this.#load([line]))));
    model.erasures.push({ candidate, revision });
  }

  /** True if no line was refused. */
  async #load(lines: readonly string[], how: { replaces?: boolean } = {}): Promise<boolean> {
    const { table, time, model } = this.#world;
    const clock = () => START + Math.floor(time.now);
    const began = clock();
    model.expectErasures(lines, began);
    try {
      const refused = await importInto(table, lines, { ...how, clock, pause: time.sleep });
      return refused.size === 0;
    } finally {
      // Also what was sent meanwhile.
      model.expectErasures(lines, began);
    }
  }

  async #exportAndImport(afterMs: number) {
    const { table, time } = this.#world;
    let lines: string[] = [];
    await this.#isAnswered(async () => {
      const all = await exportedFrom(table);
      lines = all.filter((line) => !line.includes(`"job_id":"${replacedApplication[0]}"`));
    });
    await time.sleep(afterMs);
    await this.#isAnswered(() => this.#load(lines));
  }

  async #erase({ candidate, search }: Extract<Action, { kind: 'erase' }>) {
    const { table, time, model } = this.#world;
    const revision = START + time.now;
    const own = applications.filter(([, user_id]) => user_id === candidate);
    for (const application of own) model.retained.delete(application);
    const read = new Map<string, number>();
    const options = {
      table,
      candidate: { tenant: 'default', id: candidate },
      search,
      onRecorded: nothing,
      beforeRemoval: async (key: Key) => {
        const { revision: stored = 0 } = (await itemAt(table, key)) ?? {};
        read.set(key.pk, stored);
      },
      onRemoved: async (key: Key) => {
        const removed = own.find(
          ([job]) => applicationKey('default', job, candidate).pk === key.pk,
        );
        if (removed) model.addRemoved(removed, read.get(key.pk) ?? 0);
      },
      onSkipped: nothing,
      limits: searchLimits,
      pause: time.sleep,
    };
    // Operators repeat the command until it succeeds.
    while (!(await this.#isAnswered(() => eraseCandidate(options))));
    model.erasures.push({ candidate, revision });
  }

  #writer() {
    const { client, name: table } = this.#world.table;
    return recordWriter({ client, table, tenantClaim: 'none', clock: this.#clock });
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
  JSON.stringify({ type: 'job', id: application[0], status: FIRST_STATUS }),
];
