import { describe, expect } from 'vitest';
import { candidateKey, erasureKey } from '../../../functions/store/keys.ts';
import { ImportStopped } from '../../../infra/records/import-records.ts';
import { apply, storedIn, through } from '../../support/candidates.ts';
import { dynamoError, type Fault } from '../../support/faults.ts';
import { test as it } from '../../support/fixtures.ts';
import type { FaultyProxy } from '../../support/proxy.ts';
import { applicationLine, jobLines, load, streamOf } from '../../support/records.ts';

const MANY_LINES = 1000;
const REVISION = 1_793_698_013_589;
const EXPIRES_AT = 4_102_444_800;

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));
const removalLine = (user_id: string, revision: number) =>
  JSON.stringify({ type: 'removal', job_id: '4007', user_id, revision, expires_at: EXPIRES_AT });

interface Action {
  Key?: { pk: { S: string } };
  Item?: { pk: { S: string } };
  ExpressionAttributeValues?: Record<string, { N: string }>;
}
const transactionsOf = (proxy: FaultyProxy) =>
  proxy.requests.map(({ input }) => input.TransactItems as Record<string, Action>[]);
const checksOf = (actions: Record<string, Action>[]) =>
  actions.flatMap(({ ConditionCheck }) => ConditionCheck ?? []);
const sizesOf = (proxy: FaultyProxy) =>
  transactionsOf(proxy).map((actions) => actions.length - checksOf(actions).length);

describe('an import writes applications in transactions', () => {
  it('of up to 25, with one check for each candidate, of the smallest revision', async ({
    table,
    proxy,
  }) => {
    const lines = Array.from({ length: 40 }, (_, at) =>
      applicationLine(`c-${at % 20}`, { job_id: `j-${at}`, revision: REVISION + 40 - at }),
    );
    const { counts } = await load(through(proxy, table), streamOf(...lines));
    expect(counts).toMatchObject({ applications: 40 });
    expect(sizesOf(proxy).toSorted()).toEqual([16, 24]);
    const checks = transactionsOf(proxy).flatMap(checksOf);
    const expected = Array.from({ length: 20 }, (_, at) => [
      erasureKey('default', `c-${at}`).pk,
      String(REVISION + 20 - at),
    ]);
    const seen = checks.map(({ Key, ExpressionAttributeValues: values }) => [
      Key?.pk.S,
      values?.[':revision']?.N,
    ]);
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  it('one after the other, if they are of one candidate, because checks conflict', async ({
    table,
    proxy,
  }) => {
    const [busy, overlaps] = [new Set<string>(), [] as string[]];
    const watched = through(proxy, table);
    watched.client.middlewareStack.add(
      (next) => async (args) => {
        const { TransactItems } = Object(args.input);
        const candidates = checksOf(TransactItems).map(({ Key }) => String(Key?.pk.S));
        overlaps.push(...candidates.filter((candidate) => busy.has(candidate)));
        for (const candidate of candidates) busy.add(candidate);
        try {
          return await next(args);
        } finally {
          for (const candidate of candidates) busy.delete(candidate);
        }
      },
      { step: 'initialize' },
    );
    const lines = Array.from({ length: 120 }, (_, at) =>
      applicationLine(at < 70 ? 'c-many' : `c-${at % 7}`, { job_id: `j-${at}` }),
    );
    await load(watched, streamOf(...lines));
    expect(overlaps).toEqual([]);
    expect(await storedIn(table)).toHaveLength(120);
  });

  it('of about 1 MiB of lines', async ({ table, proxy }) => {
    const summary = 'x'.repeat(300_000);
    const lines = [1, 2, 3, 4, 5].map((at) => applicationLine(`c-${at}`, { summary }));
    await load(through(proxy, table), streamOf(...lines));
    expect(sizesOf(proxy).toSorted()).toEqual([2, 3]);
  });

  it.for([
    ['eight with applications', applicationLines(MANY_LINES), 8],
    ['forty with a job each', jobLines(MANY_LINES), 40],
  ] as const)('at most %s at once', async ([, lines, most], { table, proxy }) => {
    proxy.expect('hang');
    const stopped = load(through(proxy, table), streamOf(...lines)).catch((error) => error);
    await expect.poll(() => proxy.requests.length).toBe(most);
    await proxy.stop();
    expect(await stopped).toBeInstanceOf(ImportStopped);
    expect(proxy.requests).toHaveLength(most);
  });

  it.for<[string, Fault]>([
    ['DynamoDB finds the transaction too large', dynamoError(400, 'ValidationException')],
    ['a condition refuses one of them', 'none'],
  ])('one by one, if %s', async ([, fault], { table, proxy }) => {
    await apply(table, { id: 'c-2' }, ['4007'], { revision: REVISION + 1 });
    proxy.expect(fault, 'none');
    const lines = ['c-1', 'c-2', 'c-3'].map((id) => applicationLine(id, { revision: REVISION }));
    const { counts } = await load(through(proxy, table), streamOf(...lines));
    expect(counts).toMatchObject({ applications: 2, older: 1 });
    expect(sizesOf(proxy)).toEqual([3, 1, 1, 1]);
  });

  it('apart with and without a revision, so that no late attempt of a refused group is applied', async ({
    table,
    proxy,
  }) => {
    await load(table, streamOf(removalLine('c-1', REVISION)));
    const landed = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const late: Fault = { lateAfter: () => done.promise, landed: landed.resolve };
    proxy.expect(late, 'none');
    const lines = [
      applicationLine('c-1', { revision: REVISION + 1 }),
      applicationLine('c-2', { score: 1 }),
      applicationLine('c-2', { score: 2 }),
    ];
    await load(through(proxy, table, 2), streamOf(...lines));
    done.resolve();
    await landed.promise;
    expect((await storedIn(table)).map(({ score }) => score)).toEqual([undefined, 2]);
  });

  it('and refuses a line that would make a stored item too large', async ({ table }) => {
    const [key] = await (async () => {
      await apply(table, { id: 'c-2' }, ['4007']);
      return storedIn(table);
    })();
    await table.put({ ...key, of_a_newer_service: 'x'.repeat(1000) });
    const lines = ['c-1', 'c-2'].map((id) => applicationLine(id, { summary: 'x'.repeat(409_000) }));
    expect(await load(table, streamOf(...lines))).toMatchObject({
      counts: { applications: 1, refused: 1 },
      refused: [[2, expect.stringContaining('409600 bytes')]],
    });
  });
});

it.for<[string, string]>([
  ['one with a revision', applicationLine('c-1', { revision: REVISION })],
  ['a removal', removalLine('c-1', REVISION)],
])(
  'an import leaves out, and names, an application without a revision over %s',
  async ([, stored], { table }) => {
    await load(table, streamOf(stored));
    const items = await storedIn(table);
    const remarks: string[] = [];
    const onRemark = (remark: string) => remarks.push(remark);
    const { counts } = await load(table, streamOf(applicationLine('c-1')), { onRemark });
    expect(counts).toMatchObject({ applications: 0, older: 0, unordered: 1 });
    expect(remarks).toEqual([expect.stringMatching(/^line 1 has no revision, /)]);
    expect(await storedIn(table)).toEqual(items);
  },
);

describe('an import that stops', () => {
  it('has stored every line before the one to continue from, and counts them', async ({
    table,
    proxy,
  }) => {
    const denied = dynamoError(400, 'AccessDeniedException');
    const ok = Array<Fault>(10).fill('none');
    proxy.expect(...ok, denied, ...ok, denied);
    const lines = applicationLines(MANY_LINES);
    const error = await load(through(proxy, table), streamOf(...lines)).catch((reason) => reason);
    expect(error.cause).toMatchObject({ name: 'AccessDeniedException' });
    const stored = new Set((await storedIn(table)).map(({ user_id }) => user_id));
    expect(error.nextLine).toBeGreaterThan(200);
    for (let at = 1; at < error.nextLine; at += 1) expect(stored).toContain(`c-${at - 1}`);
    expect(stored).not.toContain(`c-${error.nextLine - 1}`);
  });

  it('counts an older record as done when it names the line to continue from', async ({
    table,
    proxy,
  }) => {
    await load(table, streamOf(applicationLine('c-1', { revision: REVISION })));
    const denied = dynamoError(400, 'AccessDeniedException');
    proxy.faultsFor.set(candidateKey('default', 'c-2').candidate_pk, ['none', denied]);
    const lines = ['c-1', 'c-2'].map((id) => applicationLine(id, { revision: REVISION - 1 }));
    const stopped = load(through(proxy, table), streamOf(...lines));
    await expect(stopped).rejects.toMatchObject({ nextLine: 2 });
  });

  it('finishes the block that it has read after Ctrl-C', async ({ table, proxy }) => {
    const controller = new AbortController();
    const stop = async () => controller.abort(new Error('Stopped by SIGINT.'));
    proxy.expect({ respondsAfter: stop }, 'none');
    const lines = Array.from({ length: 250 }, (_, at) =>
      applicationLine('c-1', { job_id: `j-${at}` }),
    );
    const { signal } = controller;
    const error = await load(through(proxy, table), streamOf(...lines), { signal }).catch(
      (reason) => reason,
    );
    expect(error).toMatchObject({ message: 'Stopped by SIGINT.', nextLine: 201 });
    expect(await storedIn(table)).toHaveLength(200);
  });
});
