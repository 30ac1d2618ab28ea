import { PassThrough, Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { importBlock, type WriteBlock } from '../../../../infra/data/import/import-block.ts';
import {
  type Entry,
  type ImportOptions,
  importRecords,
  zeroCounts,
} from '../../../../infra/data/import/import-records.ts';
import type { Table } from '../../../../infra/data/records/table.ts';
import { storedIn } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';

const tombstoneLine = (type: 'removal' | 'erasure', members: object) =>
  JSON.stringify({ type, user_id: 'c-1', revision: 1_793_698_013_589, ...members });

const expiringTombstones = [
  ['a removal', (expires_at: number) => tombstoneLine('removal', { job_id: '4007', expires_at })],
  ['an erasure', (expires_at: number) => tombstoneLine('erasure', { expires_at })],
] as const;

describe('importing records', () => {
  it.for(expiringTombstones)(
    'lets %s that expired more than four years ago expire now, because DynamoDB would never delete it',
    async ([, lineWith], { table }) => {
      const now = Date.now();
      const fourYearsAgo = Math.floor(now / 1000) - 4 * 365 * 86_400;
      const stored = async (expires_at: number) => {
        await load(table, streamOf(lineWith(expires_at)), { clock: () => now });
        return (await storedIn(table)).map((item) => item.expires_at);
      };
      expect(await stored(fourYearsAgo)).toEqual([fourYearsAgo]);
      expect(await stored(fourYearsAgo - 1)).toEqual([Math.floor(now / 1000)]);
    },
  );

  it.for(expiringTombstones)(
    'refuses %s that expires more than a hundred years ahead',
    async ([, lineWith], { table }) => {
      const now = Date.now();
      const latest = Math.floor(now / 1000) + 36_500 * 86_400;
      const lines = streamOf(lineWith(latest), lineWith(latest + 1));
      const { refused } = await load(table, lines, { clock: () => now });
      expect(refused).toEqual([[2, '/expires_at must be at most 36500 days ahead']]);
      expect(await storedIn(table)).toMatchObject([{ expires_at: latest }]);
    },
  );

  it('refuses an item that is too large, and writes its neighbours and the largest one', async ({
    table,
  }) => {
    const line = (length: number) => applicationLine('c', { summary: 'x'.repeat(length) });
    await load(table, streamOf(line(0)));
    const [smallest = {}] = await storedIn(table);
    // Only ASCII, so the size is the length of names and values.
    const room = 409_600 - Object.entries(smallest).flat().join('').length;
    const lines = [jobLine('1'), line(room + 1), jobLine('2'), line(room)];
    expect(await load(table, streamOf(...lines))).toMatchObject({
      counts: { jobs: 2, applications: 1, expired: 0 },
      refused: [[2, expect.stringContaining('409600 bytes')]],
    });
  });

  it('reads any line ends, byte order marks and blank lines, in chunks of any size', async ({
    table,
  }) => {
    const bytes = Buffer.from(
      `\ufeff${jobLine('1')}\r\n\r\n \n\ufeff${applicationLine('é求😀')}\r\n${jobLine('2')}`,
    );
    const oneByOne = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
    expect((await load(table, oneByOne)).counts).toMatchObject({ jobs: 2, applications: 1 });
    expect(await table.read(applicationKey('default', '4007', 'é求😀'))).toBeDefined();
  });
});

it('an import says once that it no longer notices lines about the same item', async ({ table }) => {
  const remarks: string[] = [];
  const repeated: Entry[] = [];
  const options = {
    mostRemembered: 2,
    onRemark: (remark: string) => remarks.push(remark),
    onEntry: (entry: Entry) => repeated.push(entry),
  };
  const ids = ['1', '2', '3', '3', '1', '4'];
  const { counts } = await load(table, streamOf(...ids.map((id) => jobLine(id))), options);
  expect(remarks).toEqual([
    'From line 3 on, the import no longer notices two lines about the same item: it remembers at most 2.',
  ]);
  expect(repeated).toMatchObject([{ line: 5, first_line: 1, is_stored: true }]);
  expect(counts).toMatchObject({ jobs: 5, repeated: 1 });
});

describe('a hundred lines in a row that are not JSON', () => {
  const broken = (count: number) => Array<string>(count).fill('{"');

  it('do not stop it if another JSON object stands between them, refused or not', async ({
    table,
  }) => {
    const lines = [...broken(99), jobLine('1'), ...broken(99), '{}', ...broken(99), jobLine('2')];
    const { counts } = await load(table, streamOf(...lines));
    expect(counts).toMatchObject({ jobs: 2, refused: 3 * 99 + 1 });
  });
});

describe('an import that stops', () => {
  it.for([
    ['the first line', 1, 4],
    ['a line that it has not reached', 7, 7],
  ] as const)(
    'before the end of its input, from %s on, names the line to continue from',
    async ([, fromLine, nextLine], { table }) => {
      const input = Readable.from(
        (async function* () {
          yield Buffer.from(`${[jobLine('1'), '', jobLine('2')].join('\n')}\n`);
          throw new Error('The disk is broken.');
        })(),
      );
      await expect(load(table, input, { fromLine })).rejects.toMatchObject({
        message: 'The disk is broken.',
        nextLine,
      });
      expect(await storedIn(table)).toHaveLength(fromLine === 1 ? 2 : 0);
    },
  );

  it('because a refused line cannot be recorded continues from that line', async () => {
    const write: WriteBlock = async (records, onDone) => {
      for (const record of records) await onDone(record, 'tooLarge');
    };
    const onEntry = () => {
      throw new Error('The disk is full.');
    };
    const input = streamOf(applicationLine('c-1'), applicationLine('c-2'));
    const ended = importRecords({ input, write, onEntry });
    await expect(ended).rejects.toMatchObject({ message: 'The disk is full.', nextLine: 1 });
  });
});

describe('an import from a pipe that stays open', () => {
  /**
   * How long an import waits for further lines before it writes a block that is not full: the shortest time, and one
   * that no test reaches.
   */
  const AT_ONCE_MS = 1;
  const NEVER_MS = 2 ** 30;

  function open(table: Table, options: Partial<ImportOptions> = {}) {
    const input = new PassThrough();
    const counts = zeroCounts();
    const controller = new AbortController();
    const { signal } = controller;
    const write = importBlock(table);
    const importing = importRecords({ input, write, counts, signal, ...options });
    const ended = importing.catch((error) => error);
    return { input, counts, ended, stop: () => controller.abort(new Error('Stopped.')) };
  }

  it('writes a block that is not full after a time', async ({ table }) => {
    const { input, counts, ended } = open(table, { waitMs: AT_ONCE_MS });
    input.write(`${applicationLine('c-1')}\n${applicationLine('c-2')}\n`);
    await expect.poll(async () => (await storedIn(table)).length).toBe(2);
    input.write(`${applicationLine('c-3')}\n`);
    await expect.poll(() => counts.applications).toBe(3);
    input.end();
    expect(await ended).toBeUndefined();
    expect(counts).toMatchObject({ applications: 3 });
  });

  it('writes what it has read when the operator asks the command to end', async ({ table }) => {
    const refused = Promise.withResolvers<void>();
    const onEntry = () => refused.resolve();
    const { input, counts, ended, stop } = open(table, { waitMs: NEVER_MS, onEntry });
    input.write(`${applicationLine('c-1')}\n{\n`);
    await refused.promise;
    stop();
    expect(await ended).toMatchObject({ message: 'Stopped.', nextLine: 3 });
    expect(counts).toMatchObject({ applications: 1 });
    expect(await storedIn(table)).toHaveLength(1);
  });

  it('writes no other block of what it has read after the operator asks the command to end', async ({
    table,
  }) => {
    const controller = new AbortController();
    const writeBlock = importBlock(table);
    const write: WriteBlock = (records, onDone) => {
      controller.abort(new Error('Stopped.'));
      return writeBlock(records, onDone);
    };
    const { input, counts, ended } = open(table, { write, signal: controller.signal });
    // A block never holds two records with the same key.
    input.write(`${applicationLine('c-1')}\n${applicationLine('c-1')}\n`);
    expect(await ended).toMatchObject({ message: 'Stopped.', nextLine: 2 });
    expect(counts).toMatchObject({ applications: 1, repeated: 0 });
  });

  it('continues after a block that is written although its write fails', async ({ table }) => {
    const writeBlock = importBlock(table);
    const write: WriteBlock = async (records, onDone) => {
      await writeBlock(records, onDone);
      throw new Error('The connection broke.');
    };
    const { input, ended } = open(table, { write, waitMs: AT_ONCE_MS });
    input.write(`${applicationLine('c-1')}\n`);
    expect(await ended).toMatchObject({ message: 'The connection broke.', nextLine: 2 });
  });
});
