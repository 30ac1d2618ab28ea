import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { applicationKey, candidateKey, jobKey } from '../../../../functions/store/keys.ts';
import type {
  ApplicationToPut,
  RecordWriter,
  WriterSettings,
} from '../../../../infra/data/writer/interface.ts';
import { InvalidRecord, recordWriter } from '../../../../infra/data/writer/record-writer.ts';
import { cancelled, type Fault } from '../../../support/faults.ts';
import { fullApplication, leastApplication } from '../../../support/items.ts';
import { FaultyProxy } from '../../../support/proxy.ts';
import { createTestTable } from '../../../support/table.ts';

const [T1, T2] = [1_790_000_000_001, 1_790_000_000_002] as const;
const NOW = 1_790_000_000_000;
const MONTH_S = 30 * 24 * 60 * 60;

const [table, proxy] = await Promise.all([createTestTable(), FaultyProxy.start()]);
afterAll(() => proxy.stop());

const clock = () => NOW;
const writerWith = (settings: Partial<WriterSettings> = {}, limitMs?: number) =>
  recordWriter(
    { client: table.client, table: table.name, tenantClaim: 'none', clock, ...settings },
    limitMs,
  );
const newCandidate = () => `c-${crypto.randomUUID()}`;
const recordOf = (user_id: string, members: object = {}) =>
  ({ job_id: '4007', ...leastApplication, user_id, ...members }) as ApplicationToPut;
const keyOf = (candidate: string) => applicationKey('default', '4007', candidate);
const stored = (candidate: string) => table.read(keyOf(candidate));
const idOf = (user_id: string) => ({ job_id: '4007', user_id });
const proxied = () => new DynamoDBClient({ endpoint: proxy.url });

describe('putApplication', () => {
  it('refuses a record that is too large only with the attributes that the stored item keeps', async () => {
    const id = newCandidate();
    await table.put({ ...keyOf(id), of_a_newer_service: 'x'.repeat(1000) });
    const summary = 'x'.repeat(409_000);
    const put = writerWith().putApplication(recordOf(id, { summary }), T1);
    await expect(put).rejects.toThrow(InvalidRecord);
    const other = newCandidate();
    expect(await writerWith().putApplication(recordOf(other, { summary }), T1)).toBe('stored');
  });

  it('removes the members that the newer record does not have', async () => {
    const id = newCandidate();
    const writer = writerWith();
    await writer.putApplication(recordOf(id, { ...fullApplication, user_id: id }), T1);
    await writer.putApplication(recordOf(id, { phone: null }), T2);
    const keys = { ...keyOf(id), ...candidateKey('default', id), tenant_id: 'default' };
    const members = { job_id: '4007', ...leastApplication, user_id: id, revision: T2 };
    expect(await stored(id)).toEqual({ ...keys, ...members });
  });

  it('keeps the stored expiry unless the record has an expiry', async () => {
    const id = newCandidate();
    await table.put({ ...keyOf(id), ...leastApplication, user_id: id, expires_at: 4_000_000_000 });
    const writer = writerWith({ expireAfterDays: 365 });
    for (const each of [writerWith(), writer]) {
      await each.putApplication(recordOf(id), T1);
      expect(await stored(id)).toHaveProperty('expires_at', 4_000_000_000);
    }
    await writer.putApplication(recordOf(id, { expires_at: 4_100_000_000 }), T2);
    expect(await stored(id)).toHaveProperty('expires_at', 4_100_000_000);
  });
});

describe('removeApplication', () => {
  it('leaves a tombstone without personal data, even if no application was stored', async () => {
    for (const isStored of [true, false]) {
      const id = newCandidate();
      if (isStored) await writerWith().putApplication(recordOf(id), T1);
      expect(await writerWith().removeApplication(idOf(id), T2)).toBe('removed');
      const expires_at = NOW / 1000 + MONTH_S;
      expect(await stored(id)).toEqual({ ...keyOf(id), removed: true, revision: T2, expires_at });
      expect(await writerWith().putApplication(recordOf(id), T1)).toBe('older');
      expect(await writerWith().putApplication(recordOf(id), T2)).toBe('older');
    }
  });
});

describe('createJob', () => {
  it('creates a job once, and never changes an existing job', async () => {
    const writer = writerWith();
    expect(await writer.createJob({ id: 'job-1', status: 'draft' })).toBe('created');
    const item = { ...jobKey('default', 'job-1'), tenant_id: 'default', job_id: 'job-1' };
    await table.put({ ...item, status: 'closed', version: 7 });
    expect(await writer.createJob({ id: 'job-1', status: 'published' })).toBe('exists');
    expect(await table.read(jobKey('default', 'job-1'))).toMatchObject({
      status: 'closed',
      version: 7,
    });
  });
});

describe('an application that is written over an older tombstone', () => {
  const writeWhile = async (id: string, change: () => Promise<unknown>) => {
    await writerWith().removeApplication(idOf(id), T1);
    proxy.faultsFor.set(id, [{ respondsAfter: change }, 'none']);
    return writerWith({ client: proxied() }).putApplication(recordOf(id), T2);
  };

  it('is stored although the tombstone expires meanwhile', async () => {
    const id = newCandidate();
    const key = { TableName: table.name, Key: keyOf(id) };
    expect(await writeWhile(id, () => table.client.send(new DeleteCommand(key)))).toBe('stored');
    expect(await stored(id)).toHaveProperty('revision', T2);
  });

  it('is stored although an older application takes the place of the tombstone meanwhile', async () => {
    const id = newCandidate();
    const older = () => writerWith().putApplication(recordOf(id), T1 + 1);
    expect(await writeWhile(id, older)).toBe('stored');
    expect(await stored(id)).toHaveProperty('revision', T2);
  });

  it('is not stored if it is removed again meanwhile', async () => {
    const id = newCandidate();
    const again = () => writerWith().removeApplication(idOf(id), T2);
    expect(await writeWhile(id, again)).toBe('older');
    expect(await writerWith().removeApplication(idOf(id), T1)).toBe('older');
    expect(await stored(id)).toMatchObject({ removed: true, revision: T2 });
  });
});

it.each([
  [NOW + 60_000, 'stored'],
  [NOW + 60_001, '/revision must be at most a minute ahead of the present time'],
])(
  'a revision of %i, with the clock at the present, is or gets: %s',
  async (revision, expected) => {
    const id = newCandidate();
    const put = writerWith().putApplication(recordOf(id), revision);
    const outcome = await put.catch(({ message }) => message);
    expect(outcome).toContain(expected);
    const removal = writerWith().removeApplication(idOf(newCandidate()), revision);
    const removed = await removal.catch(({ message }) => message);
    expect(removed).toContain(expected === 'stored' ? 'removed' : expected);
  },
);

describe('a write that does not end', () => {
  const LIMIT_MS = 200;
  const late = `The write took longer than ${LIMIT_MS} ms. It may have been applied. Retry it.`;

  it.for<[string, Fault[], (writer: RecordWriter) => Promise<unknown>]>([
    ['hanging-put', ['hang'], (to) => to.putApplication(recordOf('hanging-put'), T1)],
    ['hanging-removal', ['hang'], (to) => to.removeApplication(idOf('hanging-removal'), T1)],
    ['hanging-job', ['hang'], (to) => to.createJob({ id: 'hanging-job', status: 'draft' })],
    [
      'conflicts',
      [cancelled('TransactionConflict')],
      (to) => to.putApplication(recordOf('conflicts'), T1),
    ],
  ])('is given up at the time limit: %s', async ([id, faults, write]) => {
    proxy.faultsFor.set(id, faults);
    await expect(write(writerWith({ client: proxied() }, LIMIT_MS))).rejects.toThrow(late);
  });

  it.for<[string, Fault]>([
    ['a request under way', 'hang'],
    ['a repetition', cancelled('TransactionConflict')],
  ])('sends nothing after the time limit: %s', async ([, fault]) => {
    const id = newCandidate();
    const sent: (AbortSignal | undefined)[] = [];
    const client = proxied();
    const send = client.send.bind(client) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      send: (command: unknown, options: { abortSignal?: AbortSignal } = {}) => {
        sent.push(options.abortSignal);
        return send(command, options);
      },
    });
    proxy.faultsFor.set(id, [fault]);
    const write = writerWith({ client }, LIMIT_MS).putApplication(recordOf(id), T1);
    await expect(write).rejects.toThrow(late);
    const count = sent.length;
    expect(sent.every((signal) => signal?.aborted)).toBe(true);
    // Longer than the longest pause before a repetition.
    await setTimeout(1000);
    expect(sent).toHaveLength(count);
  });

  it('is given up at the time limit: credentials that never come', async () => {
    const credentials = () => new Promise<never>(() => {});
    const client = new DynamoDBClient({ endpoint: proxy.url, credentials });
    const writer = writerWith({ client }, LIMIT_MS);
    await expect(writer.createJob({ id: 'no-credentials', status: 'draft' })).rejects.toThrow(late);
  });

  it('is given up after five seconds by default', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await writerWith().createJob({ id: 'any', status: 'draft' });
    expect(timeout.mock.calls).toEqual([[5000]]);
  });
});

it('a client of an SDK release that does not fit is refused with what to install', async () => {
  const client = new DynamoDBClient({});
  // Clients from old SDK releases lack this middleware.
  client.middlewareStack.remove('serializerMiddleware');
  const job = { id: 'job-2', status: 'draft' } as const;
  await expect(writerWith({ client }).createJob(job)).rejects.toThrow(
    /Install one @aws-sdk\/client-dynamodb for both/,
  );
});

describe('a record that is refused', () => {
  const canary = 'canary@example.com';
  const faultsOfWrite = async (write: Promise<unknown>) => {
    const error = await write.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(error instanceof InvalidRecord)) throw error;
    expect(error.message).not.toContain('canary');
    expect(JSON.stringify(error)).not.toContain('canary');
    return error.faults.map(({ member }) => member);
  };

  it.each<[object, string[]]>([
    [{ email: `Canary <${canary}>`, name: `${canary} ` }, ['/name', '/email']],
    [{ phone: [canary], [canary.replace('canary', 'x')]: canary }, ['/x@example.com', '/phone']],
    [{ summary: () => canary }, ['']],
    [{ created_at: new Date() }, ['/created_at']],
    // Names are escaped, so that they cannot forge terminal output. Long names are cut.
    [{ '\u001b[2J\u202ex\u3164y': 1 }, ['/%1B[2J%E2%80%AEx%E3%85%A4y']],
    [{ ['x'.repeat(1000)]: 1 }, [`/${'x'.repeat(64)}…`]],
  ])('is refused with its invalid members, and not stored', async (members, expected) => {
    const id = newCandidate();
    const found = await faultsOfWrite(writerWith().putApplication(recordOf(id, members), T1));
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(await stored(id)).toBeUndefined();
  });

  it.each([undefined, null, 'canary', [canary], new Map([['canary', 1]])])(
    'may be %j',
    async (record) => {
      expect(await faultsOfWrite(writerWith().putApplication(record as never, T1))).not.toEqual([]);
    },
  );

  it('has its own members only: those of a class are not read from its prototype', async () => {
    class Entity {
      get name() {
        return 'Ana Example';
      }
    }
    const { name: _, ...others } = recordOf(newCandidate());
    const record = Object.assign(new Entity(), others);
    expect(await faultsOfWrite(writerWith().putApplication(record, T1))).toEqual(['/name']);
  });

  it.each([Number.NaN, undefined, null])('has the revision %j', async (revision) => {
    const put = writerWith().putApplication(recordOf(newCandidate()), revision as never);
    expect(await faultsOfWrite(put)).toEqual(['/revision']);
  });
});

describe('the settings of a deployment', () => {
  it.each<[Readonly<Record<string, unknown>>, RegExp]>([
    [{ client: undefined }, /client must be a DynamoDBClient/],
    [{ table: '' }, /table must be/],
    [{ tenantClaim: undefined }, /tenantClaim must be `none`/],
    [{ filesBucket: 's3://files' }, /filesBucket must be/],
    [{ expireAfterDays: 0 }, /expireAfterDays must be a whole number from 1 to 36500/],
    [{ tombstoneDays: '30' }, /tombstoneDays must be/],
    [{ clock: 5 }, /clock must be/],
    [{ tenants: true }, /tenants is not a setting/],
    [{ table: 5, clock: 5 }, /table must be .*; clock must be/],
  ])('%o are refused at construction', (settings, message) => {
    expect(() => writerWith(settings as never)).toThrow(message);
  });
});
