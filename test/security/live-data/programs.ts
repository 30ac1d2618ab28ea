import { Problem } from '../../../functions/contract/problem.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';
import type { Dependencies } from '../../../functions/platform/dependencies.ts';
import { setJobStatus } from '../../../functions/store/set-job-status.ts';
import { NoResponseError } from '../../../functions/store/transport.ts';
import { eraseCandidate, searchLimits } from '../../../infra/operator/candidate/erase-candidate.ts';
import { AHEAD } from '../../../infra/records/conditional-writes.ts';
import { reasonOf } from '../../../infra/records/faults.ts';
import type { Table } from '../../../infra/records/table.ts';
import { InvalidRecord, recordWriter } from '../../../infra/writer/record-writer.ts';
import type { Action, Operation } from './histories.ts';
import {
  type Application,
  applications,
  FIRST_STATUS,
  type Model,
  recordAt,
  unorderedApplication,
  type Write,
} from './model.ts';
import { by, START, type VirtualTime } from './simulation.ts';
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
  readonly #clock: () => { date: number; monotonic: number };

  constructor(world: World, { aheadMs, retries }: Operation) {
    this.#world = world;
    this.#retries = retries;
    const { time } = world;
    // In whole milliseconds, like `Date.now()`. Virtual time has fractions after random pauses before retries.
    const date = () => START + Math.floor(time.now) + aheadMs;
    this.#clock = () => ({ date: date(), monotonic: time.now });
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
        return this.#setStatus(action.job, action.status);
      case 'importNewer':
        return this.#importNewer(action.application, action.revision);
      case 'import':
        return this.#import(action.revision);
      case 'exportAndImport':
        return this.#exportAndImport(action.afterMs);
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

  async #setStatus(job: string, status: JobStatus) {
    const { table, time, model } = this.#world;
    const environment = { tableName: table.name, transitionPolicy: 'any' };
    const { timer } = time;
    const dependencies = { client: table.client, environment, clock: this.#clock, timer };
    const id = crypto.randomUUID();
    const change = model.addChange(job, { id, status });
    const request = { tenant: 'default', job, status, actor: 'r-1', changeId: id };
    const { signal } = new AbortController();
    try {
      const set = await setJobStatus(dependencies as Dependencies, request, signal);
      if (set.isChanged) change.version = set.version;
    } catch (error) {
      // Either the job does not exist, or the outcome of the change is unknown. The model allows both outcomes.
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #importNewer(application: Application, revision: number) {
    const lines = linesOf(application, revision);
    const load = () => this.#load(lines, true);
    const { isAnswered } = await this.#write(application, { kind: 'put', revision }, load);
    if (isAnswered) this.#world.model.known.add(application[0]);
  }

  #import(revision: number) {
    const lines = linesOf(unorderedApplication, revision).slice(0, 1);
    this.#world.model.retained.delete(unorderedApplication);
    return this.#write(unorderedApplication, { kind: 'put', revision }, () =>
      this.#load(lines, false),
    );
  }

  async #load(lines: readonly string[], keepsNewer: boolean): Promise<boolean> {
    const { table, time } = this.#world;
    const how = { keepsNewer, clock: this.#clock, pause: time.sleep };
    const { refused } = await importInto(table, lines, how);
    return refused === 0;
  }

  async #exportAndImport(afterMs: number) {
    const { table, time } = this.#world;
    let lines: string[] = [];
    await this.#isAnswered(async () => {
      lines = await exportedFrom(table);
    });
    await time.sleep(afterMs);
    await this.#isAnswered(() => this.#load(lines, true));
  }

  async #erase({ candidate, search }: Extract<Action, { kind: 'erase' }>) {
    const { table, time, model } = this.#world;
    const began = START + time.now;
    const own = applications.filter(([, user_id]) => user_id === candidate);
    for (const application of own) model.retained.delete(application);
    let before: Write[] | undefined;
    const options = {
      table,
      candidate: { tenant: 'default', id: candidate },
      search,
      onRecorded: nothing,
      beforeRemoval: nothing,
      onRemoved: nothing,
      onStay: nothing,
      limits: searchLimits,
      pause: async (ms: number) => {
        await time.sleep(ms);
        // The erasure removes all that is stored when its first wait for late writes ends.
        if (ms === searchLimits.lateWriteMs) {
          before ??= own.flatMap(model.writesOf).filter(({ isAnswered }) => isAnswered);
        }
      },
    };
    // Operators repeat the command until it succeeds.
    const erase = () => {
      before = undefined;
      return eraseCandidate(options);
    };
    while (!(await this.#isAnswered(erase)));
    model.erasures.push({ candidate, began });
    for (const write of before ?? []) write.isErased = true;
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
    write.isAnswered = await this.#isAnswered(send);
    return write;
  }

  /**
   * Repeats the work after a lost response. True if one run got all its responses. A write that is refused after an
   * erasure counts as unanswered: an earlier attempt may have arrived before the erasure.
   */
  async #isAnswered(work: () => Promise<unknown>): Promise<boolean> {
    for (let retry = 0; retry <= this.#retries; retry += 1) {
      try {
        return (await work()) !== false;
      } catch (error) {
        if (error instanceof InvalidRecord && error.message.endsWith(reasonOf(AHEAD))) return false;
        if (!isUnanswered(error)) throw error;
      }
    }
    return false;
  }
}

export const linesOf = (application: Application, revision: number) => [
  JSON.stringify({
    type: 'application',
    ...recordAt(application, revision),
    ...(revision > 0 && { revision }),
  }),
  JSON.stringify({ type: 'job', id: application[0], status: FIRST_STATUS }),
];

const isUnanswered = (error: unknown) =>
  error instanceof NoResponseError ||
  (error instanceof Error && error.message.startsWith('The write took longer than'));
