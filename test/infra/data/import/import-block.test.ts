import { describe, expect } from 'vitest';
import { candidateKey } from '../../../../functions/store/keys.ts';
import { type Entry, ImportStopped } from '../../../../infra/data/import/import-records.ts';
import { apply, storedIn, through } from '../../../support/candidates.ts';
import { dynamoError, type Fault } from '../../../support/faults.ts';
import { test as it } from '../../../support/fixtures.ts';
import { applicationLine, jobLines, load, streamOf } from '../../../support/records.ts';

const MANY_LINES = 1000;
const MOST_REQUESTS = 40;
const REVISION = 1_793_698_013_589;

const applicationLines = (count: number) =>
  Array.from({ length: count }, (_, at) => applicationLine(`c-${at}`));

describe('an import writes applications', () => {
  it('one after the other, if they are of one candidate, because checks conflict', async ({
    table,
    proxy,
  }) => {
    const [busy, overlaps] = [new Set<string>(), [] as string[]];
    const watched = through(proxy, table);
    watched.client.middlewareStack.add(
      (next) => async (args) => {
        const candidate: string = Object(args.input).TransactItems[0].ConditionCheck.Key.pk.S;
        if (busy.has(candidate)) overlaps.push(candidate);
        busy.add(candidate);
        try {
          return await next(args);
        } finally {
          busy.delete(candidate);
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

  it.for([
    ['applications', applicationLines(MANY_LINES)],
    ['jobs', jobLines(MANY_LINES)],
  ] as const)(
    'with at most forty requests at once, and so with %s',
    async ([, lines], { table, proxy }) => {
      proxy.expect('hang');
      const stopped = load(through(proxy, table), streamOf(...lines)).catch((error) => error);
      await expect.poll(() => proxy.requests.length).toBe(MOST_REQUESTS);
      await proxy.stop();
      expect(await stopped).toBeInstanceOf(ImportStopped);
      expect(proxy.requests).toHaveLength(MOST_REQUESTS);
    },
  );

  it('and refuses one that would make a stored item too large', async ({ table }) => {
    await apply(table, { id: 'c-2' }, ['4007']);
    const [key] = await storedIn(table);
    await table.put({ ...key, of_a_newer_service: 'x'.repeat(1000) });
    const lines = ['c-1', 'c-2'].map((id) => applicationLine(id, { summary: 'x'.repeat(409_000) }));
    expect(await load(table, streamOf(...lines))).toMatchObject({
      counts: { applications: 1, refused: 1 },
      refused: [[2, expect.stringContaining('409600 bytes')]],
    });
  });
});

it('an import leaves out, and names, an application without a revision over a removal', async ({
  table,
}) => {
  const guard = { revision: REVISION, expires_at: 4_102_444_800 };
  const removal = { type: 'removal', job_id: '4007', user_id: 'c-1', ...guard };
  await load(table, streamOf(JSON.stringify(removal)));
  const items = await storedIn(table);
  const entries: Entry[] = [];
  const onEntry = (entry: Entry) => entries.push(entry);
  await load(table, streamOf(applicationLine('c-1')), { onEntry });
  expect(entries).toMatchObject([{ line: 1, outcome: 'without_revision' }]);
  expect(await storedIn(table)).toEqual(items);
});

describe('an import that stops', () => {
  it('has stored every line before the one to continue from, and counts them', async ({
    table,
    proxy,
  }) => {
    const denied = dynamoError(400, 'AccessDeniedException');
    // A block has 200 lines.
    proxy.expect(...Array<Fault>(250).fill('none'), denied);
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
    proxy.faultsFor.set(candidateKey('default', 'c-2').candidate_pk, [denied]);
    const lines = ['c-1', 'c-2'].map((id) => applicationLine(id, { revision: REVISION - 1 }));
    const stopped = load(through(proxy, table), streamOf(...lines));
    await expect(stopped).rejects.toMatchObject({ nextLine: 2 });
  });

  it('finishes the block that it has read after Ctrl-C', async ({ table, proxy }) => {
    const controller = new AbortController();
    const stop = async () => controller.abort(new Error('Stopped by SIGINT.'));
    proxy.expect({ respondsAfter: stop }, 'none');
    const lines = applicationLines(250);
    const { signal } = controller;
    const error = await load(through(proxy, table), streamOf(...lines), { signal }).catch(
      (reason) => reason,
    );
    expect(error).toMatchObject({ message: 'Stopped by SIGINT.', nextLine: 201 });
    expect(await storedIn(table)).toHaveLength(200);
  });
});
