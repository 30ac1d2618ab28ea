import { Readable } from 'node:stream';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { Problem } from '../../../functions/contract/problem.ts';
import type { Dependencies } from '../../../functions/runtime/dependencies.ts';
import type { Item } from '../../../functions/store/items.ts';
import { jobs as jobsOf } from '../../../functions/store/jobs.ts';
import { NoResponse } from '../../../functions/store/transport.ts';
import { searchLimits } from '../../../infra/commands/candidate/command.ts';
import { eraseCandidate } from '../../../infra/commands/candidate/erase-candidate.ts';
import { anonymise, remove } from '../../../infra/commands/candidate/erasure.ts';
import { scan, type Table } from '../../../infra/commands/cli/table.ts';
import { lineOf } from '../../../infra/commands/export/record-line.ts';
import { BatchWriter } from '../../../infra/commands/import/batch-writer.ts';
import { importRecords, newProgress } from '../../../infra/commands/import/import-records.ts';
import { command as retention } from '../../../infra/commands/retention/command.ts';
import { recordWriter } from '../../../infra/writer/record-writer.ts';
import { runCommand } from '../../support/operator-command.ts';
import type { Action, History, Operation, Step } from './histories.ts';
import { type Application, applications, FIRST_STATUS, Model, recordAt } from './model.ts';
import { by, START, VirtualTime } from './simulation.ts';

const MONTH_MS = 31 * 24 * 60 * 60 * 1000;
const BATCH_ITEMS = 25;
const nothing = async () => undefined;

/** Does all that a history says, and returns how the table contradicts it whenever nothing is under way. */
export async function faultsOfHistory(table: Table, history: History): Promise<string[]> {
  const world = new World(table);
  const faults: string[] = [];
  for (const { step, operations } of history) {
    faults.push(...(await world.take(step)));
    await world.time.passUntilEnd(Promise.all(operations.map((one) => world.perform(one))));
    faults.push(...world.model.faultsOf(await world.items()));
  }
  await world.empty();
  return faults;
}

class World {
  readonly time = new VirtualTime();
  readonly model = new Model();
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async items(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const { Items: page = [] } of scan(this.#table, {})) items.push(...(page as Item[]));
    return items;
  }

  empty = async () => this.#delete(await this.items());

  /** Does what an operation says when it starts, by the clock of its program. */
  async perform({ action, startMs, aheadMs, flights, retries }: Operation): Promise<void> {
    await this.time.sleep(startMs);
    await by({ time: this.time, flights }, () => this.#act(action, { aheadMs, retries }));
  }

  async #act(action: Action, { aheadMs, retries }: Pick<Operation, 'aheadMs' | 'retries'>) {
    const { model, time } = this;
    const table = this.#table;
    const clock = () => ({ date: START + time.now + aheadMs, monotonic: time.now });
    const writer = recordWriter({
      client: table.client,
      table: table.name,
      tenantClaim: 'none',
      clock,
    });
    const began = START + time.now;
    switch (action.kind) {
      case 'put': {
        const { application, revision } = action;
        const record = recordAt(application, revision);
        const write = this.#note(application, 'put', revision);
        write.isAnswered = await answered(retries, () => writer.putApplication(record, revision));
        return;
      }
      case 'removal': {
        const { application, revision } = action;
        const [job_id, user_id] = application;
        this.model.retained.delete(application);
        const write = this.#note(application, 'removal', revision);
        const id = { job_id, user_id };
        write.isAnswered = await answered(retries, () => writer.removeApplication(id, revision));
        return;
      }
      case 'createJob': {
        const record = { id: action.job, status: FIRST_STATUS } as const;
        if (await answered(retries, () => writer.createJob(record))) model.known.add(action.job);
        return;
      }
      case 'setStatus': {
        const { job, status } = action;
        const environment = { tableName: table.name, transitionPolicy: 'any' };
        const { timer } = time;
        const store = jobsOf({ client: table.client, environment, clock, timer } as Dependencies);
        const change = {
          id: crypto.randomUUID(),
          status,
          version: undefined as number | undefined,
        };
        model.changesOf(job).push(change);
        const request = { tenant: 'default', job, status, actor: 'r-1', changeId: change.id };
        try {
          const { version, isChanged } = await store.setStatus(
            request,
            new AbortController().signal,
          );
          if (isChanged) change.version = version;
        } catch (error) {
          if (!isProblem(error)) throw error;
        }
        return;
      }
      case 'importNewer': {
        const { application, revision } = action;
        const write = this.#note(application, 'put', revision);
        const lines = linesOf(application, revision);
        write.isAnswered = await answered(retries, () => this.#import(lines, true));
        if (write.isAnswered) model.known.add(application[0]);
        return;
      }
      case 'exportAndImport': {
        const lines: string[] = [];
        const isRead = await answered(retries, async () => {
          lines.splice(0, lines.length, ...(await this.#export()));
        });
        await time.sleep(action.afterMs);
        // The rule of the runbook: a file with applications of a candidate who is erased is not imported.
        const safe = lines.filter((line) => !/"type":"application".*"user_id":"c-1"/.test(line));
        if (isRead) await answered(retries, () => this.#import(safe, true));
        return;
      }
      case 'erase': {
        const { candidate, search, isAnonymised } = action;
        for (const application of applications) {
          if (application[1] === candidate) model.retained.delete(application);
        }
        const options = {
          table,
          candidate: { tenant: 'default', id: candidate },
          search,
          erasure: isAnonymised ? anonymise : remove,
          onRecorded: nothing,
          beforeErasure: nothing,
          onErased: nothing,
          onLeft: nothing,
          limits: searchLimits,
          time: { now: () => time.now, sleep: time.sleep },
        };
        // An operator runs it until it ends well.
        await answered(Number.POSITIVE_INFINITY, () => eraseCandidate(options));
        model.erasures.push({ candidate, began });
      }
    }
  }

  /** Takes a step while nothing is under way; returns what it has changed but should not. */
  async take(step: Step): Promise<string[]> {
    const { model } = this;
    const before = await this.items();
    switch (step.kind) {
      case 'restore': {
        const lines = await this.#export();
        await this.#delete(before);
        await this.#import(lines, false);
        return model.faultsOf(await this.items()).map((fault) => `After a restore: ${fault}`);
      }
      case 'import': {
        const { application, revision } = step;
        const isErased = model.erasures.some(({ candidate }) => candidate === application[1]);
        // The plain import does not look at erasures.
        if (isErased) return [];
        const [line = ''] = linesOf(application, revision);
        await this.#import([line], false);
        const writes = model.writesOf(application);
        writes.splice(0, writes.length, { kind: 'put', revision, isAnswered: true });
        model.retained.delete(application);
        return [];
      }
      case 'retention': {
        const options = ['--tenant', 'default', '--days', '36500', '--yes'];
        const isApplied = before.some(({ user_id }) => user_id !== undefined);
        const table = ['--table', this.#table.name];
        const { exitCode, err } = await runCommand(retention, [...options, ...table]);
        for (const { job_id, user_id } of before) {
          const found = applications.find(([job, id]) => job === job_id && id === user_id);
          if (found) model.retained.add(found);
        }
        return isApplied && exitCode !== 0 ? [`Retention: ${err}`] : [];
      }
      case 'month': {
        this.time.now += MONTH_MS;
        const now = (START + this.time.now) / 1000;
        const isExpired = ({ expires_at }: Item) => Number(expires_at ?? Infinity) <= now;
        await this.#delete(before.filter(isExpired));
        model.erasures = [];
        const left = before.filter((item) => !isExpired(item));
        // Nothing is known any more of what is not stored.
        for (const application of applications) {
          const [job, candidate] = application;
          const item = left.find(({ job_id, user_id }) => job_id === job && user_id === candidate);
          const revision = Number(item?.revision ?? 0);
          const writes = model.writesOf(application);
          writes.splice(0, writes.length);
          if (item) writes.push({ kind: 'put', revision, isAnswered: true });
        }
        return [];
      }
    }
  }

  #note(application: Application, kind: 'put' | 'removal', revision: number) {
    const write = { kind, revision, isAnswered: false };
    this.model.writesOf(application).push(write);
    return write;
  }

  async #export(): Promise<string[]> {
    return (await this.items()).flatMap((item) => lineOf(item)?.text ?? []);
  }

  async #import(lines: readonly string[], keepsNewer: boolean): Promise<void> {
    const writer = new BatchWriter(this.#table, newProgress(), undefined, { keepsNewer });
    const input = Readable.from([Buffer.from(lines.join('\n'))]);
    const onRefused = (_: number, reason: string) => Promise.reject(new Error(reason));
    await importRecords({ input, writer, onRefused });
  }

  async #delete(items: readonly Item[]): Promise<void> {
    const requests = items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    for (let at = 0; at < requests.length; at += BATCH_ITEMS) {
      const RequestItems = { [this.#table.name]: requests.slice(at, at + BATCH_ITEMS) };
      await this.#table.client.send(new BatchWriteCommand({ RequestItems }));
    }
  }
}

/** Lines of an application and its job. */
const linesOf = (application: Application, revision: number) => [
  JSON.stringify({
    type: 'application',
    ...recordAt(application, revision),
    ...(revision > 0 && { revision }),
  }),
  JSON.stringify({ type: 'job', id: application[0], status: FIRST_STATUS }),
];

/** Does some work again until it gets all responses; returns whether it did. */
async function answered(retries: number, work: () => Promise<unknown>): Promise<boolean> {
  for (let retry = 0; retry <= retries; retry += 1) {
    try {
      await work();
      return true;
    } catch (error) {
      if (!isUnanswered(error)) throw error;
    }
  }
  return false;
}

const isUnanswered = (error: unknown) =>
  error instanceof NoResponse ||
  (error instanceof Error && error.message.startsWith('The write took longer than'));

/** Whether the API would respond so, as to a job that does not exist or whose change has no response. */
const isProblem = (error: unknown) => error instanceof Problem;
