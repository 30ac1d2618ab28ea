import { describe, expect, it } from 'vitest';
import { WrongUsage } from '../../../infra/commands/command.ts';
import { defaultAssumptions } from '../../../infra/cost/assumptions.ts';
import { memorySizeMb } from '../../../infra/cost/memory-size.ts';
import { readOptions } from '../../../infra/cost/options.ts';

const month = ['--reads', '5', '--writes', '3'];

describe('the flags of npm run cost', () => {
  it('name a month, which has the stack as it is unless told otherwise', () => {
    expect(readOptions(month)).toEqual({
      do: 'bill',
      json: false,
      month: {
        requests: { 'get-application': 5, 'update-job-status': 3 },
        memoryMb: memorySizeMb,
        assumptions: defaultAssumptions,
      },
    });
  });

  it('change what is assumed', () => {
    const flags = {
      'cold-share': '0.25',
      'database-ms': '3.5',
      'keys-ms': '0',
      'cpu-factor': '0.9',
      provisioned: '2',
      'table-gb': '7.5',
      'stream-shards': '1',
      'retention-days': '30',
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    expect(readOptions([...month, '--memory', '1024', '--json', ...args])).toMatchObject({
      json: true,
      month: {
        memoryMb: 1024,
        assumptions: {
          coldShare: 0.25,
          databaseMs: 3.5,
          keysMs: 0,
          cpuFactor: 0.9,
          provisioned: 2,
          tableGb: 7.5,
          streamShards: 1,
          retentionDays: 30,
        },
      },
    });
  });

  it('ask for help, or for the documents', () => {
    expect(readOptions(['--help'])).toEqual({ do: 'help' });
    expect(readOptions(['--docs'])).toEqual({ do: 'docs' });
  });

  it.each([
    [['--reads', '5'], 'Say how many requests a month has'],
    [['--writes', '5'], 'Say how many requests a month has'],
    [[], 'Say how many requests a month has'],
    [[...month, '--docs'], '--docs writes the example'],
    [['--docs', '--json'], '--docs writes the example'],
    [['--reads', '1.5', '--writes', '1'], '--reads must be a whole number from 0 to 1000000000000'],
    [['--reads=-1', '--writes', '1'], '--reads must be a whole number'],
    [['--reads', '1', '--writes', 'many'], '--writes must be a whole number'],
    [['--reads', '1', '--writes', ''], '--writes must be a whole number'],
    [['--reads', '1e6', '--writes', '1'], '--reads must be a whole number'],
    [[...month, '--memory', '127'], '--memory must be a whole number from 128 to 10240'],
    [[...month, '--memory', '10241'], '--memory must be a whole number from 128 to 10240'],
    [[...month, '--memory', '512.5'], '--memory must be a whole number'],
    [[...month, '--cold-share', '1.01'], '--cold-share must be a number from 0 to 1; not "1.01"'],
    [[...month, '--cold-share', '1%'], '--cold-share must be a number from 0 to 1'],
    [[...month, '--database-ms', '10001'], '--database-ms must be a number from 0 to 10000'],
    [[...month, '--keys-ms', 'Infinity'], '--keys-ms must be a number'],
    [[...month, '--cpu-factor', '0'], '--cpu-factor must be a number from 0.1 to 10'],
    [[...month, '--provisioned', '0.5'], '--provisioned must be a whole number'],
    [[...month, '--table-gb', ' 1'], '--table-gb must be a number'],
    [[...month, '--stream-shards', '0'], '--stream-shards must be a whole number from 1'],
    [[...month, '--retention-days', '0'], '--retention-days must be a whole number from 1'],
  ])('refuse %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(WrongUsage);
    expect(() => readOptions(args)).toThrow(message);
  });

  it.each([
    [['--read', '5'], "Unknown option '--read'"],
    [['5'], "Unexpected argument '5'"],
  ])('refuse %j, as parseArgs does', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
