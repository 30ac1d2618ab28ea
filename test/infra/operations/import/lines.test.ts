import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { applicationKey } from '../../../../functions/store/keys.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';
import {
  createTableWithoutIndex,
  createTestTable,
  type TestTable,
} from '../../../support/table.ts';

let table: TestTable;
beforeAll(async () => {
  table = await createTestTable();
});

describe('the lines of a file', () => {
  it('takes any line ends, marks and blank lines, however the bytes come', async () => {
    const bytes = Buffer.from(
      `\ufeff${jobLine('1')}\r\n\r\n \n\ufeff${applicationLine('é求😀')}\r\n${jobLine('2')}`,
    );
    const oneByOne = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
    expect((await load(table, oneByOne)).counts).toEqual({
      jobs: 2,
      applications: 1,
      expired: 0,
      refused: 0,
    });
    expect(await table.read(applicationKey('default', '4007', 'é求😀'))).toBeDefined();
  });

  it('takes a stream of text', async () => {
    const input = Readable.from([`${jobLine('1')}\n${jobLine('2')}`]);
    expect((await load(table, input)).counts.jobs).toBe(2);
  });

  it('refuses a line that is too long to be read, and goes on after it', async () => {
    const long = applicationLine('c', { summary: 'x'.repeat(4 * 1024 * 1024) });
    expect(await load(table, streamOf(jobLine('1'), long, jobLine('2')))).toEqual({
      counts: { jobs: 2, applications: 0, expired: 0, refused: 1 },
      refused: [[2, 'the line is longer than 4194304 bytes']],
    });
  });

  it('does not hold what it has read of a line that is too long', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const mebibyte = 1024 * 1024;
    const before = process.memoryUsage().arrayBuffers;
    let held = 0;
    const input = Readable.from(
      (async function* () {
        for (let at = 0; at < 300; at += 1) yield Buffer.alloc(mebibyte, 'x');
        // There are 16 chunks of the stream itself on the way, and Node.js frees others in its own time.
        for (let tries = 0; tries < 100; tries += 1) {
          collectGarbage();
          held = process.memoryUsage().arrayBuffers - before;
          if (held < 100 * mebibyte) return;
          await setTimeout(20);
        }
      })(),
    );
    expect((await load(table, input)).counts.refused).toBe(1);
    expect(held).toBeLessThan(100 * mebibyte);
  });

  it('writes ten thousand records and never reads far ahead of what it has done', async () => {
    let produced = 0;
    let ahead = 0;
    const input = Readable.from(
      (function* () {
        for (let at = 0; at < 10_000; at += 1) {
          const line = Buffer.from(`${applicationLine(`c-${at}`)}\n`);
          produced += line.length;
          yield line;
        }
      })(),
    );
    const onProgress = (bytes: number) => {
      ahead = Math.max(ahead, produced - bytes);
    };
    // Without the stream of changes, which takes the embedded database most of its time.
    const name = await createTableWithoutIndex();
    const { counts } = await load({ client: table.client, name }, input, { onProgress });
    expect(counts).toEqual({ jobs: 0, applications: 10_000, expired: 0, refused: 0 });
    expect(ahead).toBeLessThan(100 * applicationLine('c-9999').length);
  });

  it('tells how many bytes it has read', async () => {
    const told: number[] = [];
    const text = `${jobLine('1')}\n{\r\n\n${jobLine('é')}`;
    await load(table, streamOf(text), { onProgress: (bytes) => told.push(bytes) });
    const first = jobLine('1').length + 1;
    expect(told).toEqual([first, first + 3, first + 4, Buffer.byteLength(text)]);
  });
});
