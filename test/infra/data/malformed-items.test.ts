import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from 'vitest';
import { applicationKey, candidateKey, jobKey, type Key } from '../../../functions/store/keys.ts';
import { hasHidden, quoted } from '../../../infra/command/output.ts';
import { candidateCommand } from '../../../infra/data/candidate/candidate.ts';
import { command as exportCommand } from '../../../infra/data/export/export.ts';
import { itemBytes, MAX_ITEM_BYTES } from '../../../infra/data/records/storable.ts';
import { jobs, leftIn } from '../../support/candidates.ts';
import { test } from '../../support/fixtures.ts';
import { fullApplication, leastApplication } from '../../support/items.ts';
import { runCommand } from '../../support/operator-command.ts';
import { load, streamOf } from '../../support/records.ts';
import { createTestTable } from '../../support/table.ts';

type Item = Key & Record<string, unknown>;

const candidateOf = candidateKey('default', 'c-1');
const good = (job: string): Item => ({
  ...applicationKey('default', job, 'c-1'),
  ...candidateOf,
  tenant_id: 'default',
  job_id: job,
  ...fullApplication,
});

/** Fills an item up to DynamoDB's limit, with text only: DynamoDB gives just an approximate size for numbers. */
const largest = ({ pk, sk, job_id }: Item): Item => {
  const item = { pk, sk, ...candidateOf, tenant_id: 'default', job_id, ...leastApplication };
  const room = MAX_ITEM_BYTES - itemBytes(item);
  return { ...item, stage_title: item.stage_title + 'x'.repeat(room) };
};

/** Items that the index lists under the candidate, although the service never writes such keys. */
const malformedKeys: Item[] = [
  { ...good('0'), pk: 'TENANT#default#JOB#a%' },
  { ...good('1'), pk: 'CONFIG#50%off-', sk: '\u202e\u3164 \u2800\u00a0\u009b' },
  { ...good('2'), sk: 'APPLICATION#c-1%' },
  largest({ ...good('3'), pk: 'TENANT#default#JOB#'.padEnd(2048, 'é'.repeat(3)).slice(0, 1030) }),
];

/** More digits than a JavaScript number can hold. */
const LONG = NumberValue.from('0.1234567890123456789012345');

const malformedMembers: Item[] = [
  { ...good('4'), created_at: 1_793_698_013 },
  { ...good('5'), education: new Set(['x']), resume_url: { at: ['x'] }, score: 'high' },
  { ...good('6'), summary: new Uint8Array([1, 2]), expires_at: 'tomorrow', video_url: true },
  { ...good('7'), revision: 'new', name: null, ['__proto__']: 1, nickname: '\u034f' },
  { ...good('8'), removed: true, created_at: 'yesterday' },
  { ...good('9'), stage_id: LONG, resume_url: LONG, video_url: [LONG] },
  largest(good('10')),
];

/**
 * Listed by the index under the candidate, although the key or `user_id` names somebody else, or the key is a job's.
 */
const others: Item[] = [
  { ...good('o'), ...applicationKey('acme', 'o', 'c-1') },
  { ...good('o'), ...applicationKey('default', 'o', 'c-2'), user_id: 'c-2' },
  { ...candidateOf, ...jobKey('default', 'o'), status: 'draft', version: 1 },
  { ...good('o'), pk: 'TENANT#default#JOB#o%', user_id: 'c-2' },
];

const namesOfOthers = [
  'candidate "c-1", job "o" of tenant "acme"',
  'candidate "c-2", job "o" of tenant "default"',
  'job "o" of tenant "default"',
  'item with the malformed key {"pk":"TENANT#default#JOB#o%","sk":"APPLICATION#c-1"}',
];

const malformed = [...malformedKeys, ...malformedMembers];
const applications = [...jobs(190).map(good), ...malformed];

const limits = { pauseMs: 0, idleSearches: 5, settleMs: 0 };
const candidate = candidateCommand(limits);

const keyOf = ({ pk, sk }: Key) => quoted({ pk, sk });
const namesOfMembers = malformedMembers.map(({ job_id }) => quoted(`${job_id}`));

function expectShown(output: string) {
  expect(output.split('\n').filter(hasHidden)).toEqual([]);
}

const it = test.extend('filled', async ({ table }) => {
  for (const item of [...applications, ...others]) await table.put(item);
  return table;
});

describe.each([[[]], [['--scan']]])('candidate erase over malformed items, %j', (more) => {
  it('removes every item of the candidate, names each item, and leaves the items of others', async ({
    filled,
  }) => {
    const args = ['erase', '--tenant', 'default', '--id', 'c-1', '--yes', '--table', filled.name];
    const { exitCode, out } = await runCommand(candidate, [...args, ...more]);
    expect(exitCode).toBe(1);
    const left = await leftIn(filled);
    const keys = left.map(({ pk, sk }) => quoted({ pk: `${pk}`, sk: `${sk}` }));
    expect(keys.toSorted()).toEqual(others.map(keyOf).toSorted());
    for (const item of malformedKeys) expect(out).toContain(` ${keyOf(item)}\n`);
    for (const name of namesOfMembers) expect(out).toContain(`d the application to job ${name}\n`);
    for (const name of namesOfOthers) expect(out).toContain(` skipped: the ${name}, `);
    expect(out).toMatch(/ Malformed keys: 4\. Skipped, of somebody else: 4\.\n$/);
    expectShown(out);
  });
});

it('candidate erase exits with 1 if it skips an item of somebody else', async ({ table }) => {
  for (const item of [good('1'), ...others.slice(0, 1)]) await table.put(item);
  const args = ['erase', '--tenant', 'default', '--id', 'c-1', '--yes', '--table', table.name];
  const { exitCode, out } = await runCommand(candidate, args);
  expect([exitCode, out]).toEqual([1, expect.stringContaining('Skipped, of somebody else: 1.')]);
});

it('candidate export has every item of the candidate, and names the malformed keys', async ({
  filled,
}) => {
  const args = ['export', '--tenant', 'default', '--id', 'c-1', '--table', filled.name];
  const { exitCode, out, err } = await runCommand(candidate, args);
  expect(exitCode).toBe(1);
  const exported: Item[] = JSON.parse(out).applications;
  expect(exported.map(({ job_id }) => job_id).toSorted()).toEqual(
    applications.map(({ job_id }) => job_id).toSorted(),
  );
  expect(exported).toContainEqual(expect.objectContaining({ summary: 'AQI=' }));
  expect(exported).toContainEqual(expect.objectContaining({ education: ['x'] }));
  const names = malformedKeys.map((item) => `item with the malformed key ${keyOf(item)}`);
  for (const name of names) expect(err).toContain(`${name}: its key`);
  for (const name of namesOfOthers) expect(err).toContain(`skipped: ${name}, `);
  expectShown(out + err);
});

it('export writes every item that an import can recreate, and names the others', async ({
  filled,
}) => {
  const { exitCode, out, err } = await runCommand(exportCommand, ['--table', filled.name]);
  expect(exitCode).toBe(1);
  const { counts } = await load(await createTestTable(), streamOf(...out.trimEnd().split('\n')));
  expect(counts.applications).toBe(194);
  for (const item of malformedKeys) expect(err).toContain(`key ${keyOf(item)}: left out\n`);
  for (const name of namesOfMembers.slice(0, -1)) {
    const start = `^candidate "c-1", job ${name} of tenant "default": `;
    expect(err).toMatch(new RegExp(`${start}(?:exported as null, .*)?the import refuses`, 'm'));
  }
  expectShown(out + err);
});
