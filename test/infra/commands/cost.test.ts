import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { measurements } from '../../../infra/cost/measurements.ts';
import { memorySizeMb } from '../../../infra/cost/memory-size.ts';
import { priceDate, priceNames, prices } from '../../../infra/cost/prices.ts';

const COMMAND = fileURLToPath(new URL('../../../infra/commands/cost.ts', import.meta.url));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });

describe('npm run cost', () => {
  it('prints the lines that are used, the sum, the memory sizes and what is assumed', () => {
    const { status, stdout } = run('--reads', '2000000', '--writes', '1000000');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^2,000,000 reads and 1,000,000 status updates a month at/);
    expect(stdout).toMatch(/^Lambda requests +3,000,000 requests +0\.60$/m);
    expect(stdout).toMatch(/^HTTP API requests +3,000,000 requests +3\.00$/m);
    expect(stdout).toMatch(/^EventBridge events +1,000,000 events +1\.00$/m);
    expect(stdout).not.toContain('provisioned concurrency, arm64');
    expect(stdout).toMatch(/^A month +\d+\.\d\d$/m);
    expect(stdout).toMatch(/^A million requests +\d+\.\d\d$/m);
    expect(stdout).toMatch(new RegExp(`^> ${memorySizeMb} MB .* yes$`, 'm'));
    expect(stdout).toMatch(/^ {2}3008 MB /m);
    expect(stdout).toContain(`on ${measurements.date} (${measurements.machine.processor}`);
    expect(stdout).toContain('- DynamoDB answers in 5 ms (--database-ms)');
    expect(stdout).toContain(`List prices of us-east-1, ${priceDate}`);
  });

  it('prints every line as JSON, with its price and source', () => {
    const { stdout } = run('--reads', '1000000', '--writes', '0', '--memory', '1024', '--json');
    const { month, bill, sizes, prices: of, measurements: from } = JSON.parse(stdout);
    expect(month).toMatchObject({ memoryMb: 1024, assumptions: { coldShare: 0.01 } });
    expect(bill.lines.map(({ name }: { name: string }) => name)).toEqual(priceNames);
    expect(bill.lines[0]).toEqual({
      name: 'lambdaRequests',
      ...prices.lambdaRequests,
      quantity: 1_000_000,
      cost: 0.2,
    });
    expect(sizes.length).toBeGreaterThan(3);
    expect(of).toEqual({ region: 'us-east-1', date: priceDate });
    expect(from).toEqual(measurements);
  });

  it('shows costs that are too small for cents, and another size than the usual ones', () => {
    const { stdout } = run('--reads', '1', '--writes', '0', '--memory', '640', '--table-gb', '0');
    expect(stdout).toMatch(/^Lambda requests +1 requests +<0\.01$/m);
    expect(stdout).toMatch(/^CloudWatch logs, ingested +0\.00000\d+ GB +<0\.01$/m);
    expect(stdout).toMatch(/^> 640 MB /m);
    expect(stdout).not.toContain('DynamoDB storage');
  });

  it('helps', () => {
    const { status, stdout, stderr } = run('--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm run cost -- --reads N --writes M/);
  });

  it('says what is wrong, and how to use it', () => {
    const { status, stdout, stderr } = run('--reads', 'many', '--writes', '1');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^--reads must be a whole number from 0 .*; not "many"\.\n\nUsage: /);
  });
});
