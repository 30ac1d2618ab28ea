import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { storedIn } from '../../../support/candidates.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';

describe('importing records', () => {
  it('stores each number unchanged', async ({ table }) => {
    const numbers = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 1e-130, 0.1 + 0.2, 1e-7];
    const lines = numbers.map((score, at) => applicationLine(`c-${at}`, { score }));
    await load(table, streamOf(...lines));
    expect((await storedIn(table)).map(({ score }) => score)).toEqual(numbers);
  });

  it('refuses an item that is too large, and writes its neighbours and the largest one', async ({
    table,
  }) => {
    const line = (length: number) => applicationLine('c', { summary: 'x'.repeat(length) });
    await load(table, streamOf(line(0)));
    const [smallest = {}] = await storedIn(table);
    // All values are ASCII text, so the item's size is the length of its names and values.
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

  it('refuses a line over 4 MiB, and reads the next line', async ({ table }) => {
    const long = applicationLine('c', { summary: 'x'.repeat(4 * 1024 * 1024) });
    expect(await load(table, streamOf(jobLine('1'), long, jobLine('2')))).toMatchObject({
      counts: { jobs: 2, applications: 0, expired: 0 },
      refused: [[2, 'the line is longer than 4194304 bytes']],
    });
  });

  it('stops with the reason of the signal while it waits for input', async ({ table }) => {
    const waiting = new Readable({ read: () => undefined });
    const controller = new AbortController();
    const ended = load(table, waiting, { signal: controller.signal });
    controller.abort(new Error('Stopped by SIGINT.'));
    await expect(ended).rejects.toThrow('Stopped by SIGINT.');
  });
});
