import { once } from 'node:events';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { Ajv } from 'ajv';
import { describe, expect, inject } from 'vitest';
import { isAddressable } from '../../../../functions/domain/addressable-identifier.ts';
import {
  jobAttributes,
  applicationItem as newApplicationItem,
  revisionAttributes,
} from '../../../../functions/store/items.ts';
import {
  applicationKey,
  candidateKey,
  erasureKey,
  jobKey,
  keyAttributes,
} from '../../../../functions/store/keys.ts';
import { readDocument } from '../../../../infra/data/candidate/export-candidate.ts';
import { command } from '../../../../infra/data/export/export.ts';
import { recordSchemas } from '../../../../infra/data/records/record-schema.ts';
import { recordAjvOptions } from '../../../../infra/data/records/validators.ts';
import { apply, HOSTILE_JOBS, jobs, storedIn } from '../../../support/candidates.ts';
import { dynamoError } from '../../../support/faults.ts';
import { test } from '../../../support/fixtures.ts';
import {
  applicationItem,
  fullApplication,
  jobItem,
  leastApplication,
} from '../../../support/items.ts';
import { type Run, runAmid, runCommand, SAMPLE, start } from '../../../support/operator-command.ts';
import { applicationLine, jobLine, load, streamOf } from '../../../support/records.ts';
import { createTestTable } from '../../../support/table.ts';

const PAGE_ITEMS = 500;
const TWO_PAGES = 600;
const MANY_APPLICATIONS = 3 * PAGE_ITEMS;

/** Each exported attribute accepts at least one of these values. */
const VALUES = ['published', '2026-11-03T09:26:53.589Z', 'x', 1_793_698_013_589, 4_102_444_800, 7];

function valuesOf(kind: 'job' | 'application', names: Readonly<Record<string, string>>) {
  const properties: Readonly<Record<string, object>> = recordSchemas[kind].properties;
  const entries = Object.values(names).map((name) => {
    const fits = new Ajv(recordAjvOptions).compile(properties[name] ?? { not: {} });
    const value = VALUES.find((each) => fits(each));
    if (value !== undefined) return [name, value];
    throw new Error(
      `Export and import would lose the attribute ${name}. Add it to the schema \`${kind}\` in ` +
        'infra/data/records/record-schema.ts, run npm run generate, and give VALUES a value that fits.',
    );
  });
  return Object.fromEntries(entries);
}

const it = test.extend('run', ({ table }) => (args: string[] = [], options?: Run) => {
  return runCommand(command, ['--table', table.name, ...args], options);
});

describe('npm run export', () => {
  it('writes a file whose import makes an equal table', async ({ table, folder, run }) => {
    await load(table, createReadStream(SAMPLE));
    const count = Math.ceil(MANY_APPLICATIONS * inject('scale'));
    const candidates = Array.from({ length: count }, (_, at) => `many-${at}`);
    await load(table, streamOf(...candidates.map((id) => applicationLine(id))));
    await apply(table, { tenant: 'é#', id: 'c#' }, HOSTILE_JOBS.filter(isAddressable));
    await load(table, streamOf(applicationLine('filed', { resume_url: 's3://bucket/é %2F.pdf' })));
    await table.put({
      ...jobKey('acme', '1'),
      tenant_id: 'acme',
      job_id: '1',
      status: 'closed',
      version: 3,
      previous_status: 'paused',
      fence: 1_793_698_013_589,
      status_changed_at: '2026-11-03T09:26:53.589Z',
      status_changed_by: 'auth0|“recruiter”',
      last_change_actor: 'recruiter-9',
      last_change_id: 'x',
    });
    await load(table, streamOf(jobLine('again'), jobLine('again', 'closed')));
    const guard = { revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
    await table.put({ ...applicationKey('é#', '4', '%23'), removed: true, ...guard });
    await table.put({ ...erasureKey('é#', '%24'), ...guard });
    await load(table, streamOf(applicationLine('live', { revision: guard.revision })));
    const path = join(folder, 'export.ndjson');
    const { exitCode, out, err } = await run(['--output', path]);
    expect([exitCode, out]).toEqual([0, '']);
    const before = await storedIn(table);
    expect(err).toMatch(
      /^\d+ jobs and \d+ applications exported\.\nAlso exported: 1 removal and 1 erasure\.\n$/m,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const other = await createTestTable();
    const { refused } = await load(other, createReadStream(path));
    expect(refused).toEqual([]);
    expect(await storedIn(other)).toEqual(before);
    const { out: same } = await run();
    expect(same).toBe(readFileSync(path, 'utf8'));
  });

  it('loses no attribute that functions/store/items.ts names', async ({ table, run }) => {
    const ids = { tenant_id: 'acme', job_id: '1' };
    await table.put({ ...jobKey('acme', '1'), ...ids, ...valuesOf('job', jobAttributes) });
    const key = applicationKey('acme', '1', 'c-1');
    const { removed: _, ...ofApplications } = revisionAttributes;
    const others = { ...ofApplications, expiry: keyAttributes.timeToLive };
    await table.put({
      ...{ ...key, ...candidateKey('acme', 'c-1'), ...ids, ...fullApplication },
      ...valuesOf('application', others),
    });
    const { exitCode, out, err } = await run();
    expect([exitCode, err]).toEqual([0, '1 job and 1 application exported.\n']);
    const other = await createTestTable();
    await load(other, streamOf(out));
    expect(await storedIn(other)).toEqual(await storedIn(table));
  });

  it('writes the records of one tenant, and says if the tenant has none', async ({
    table,
    run,
  }) => {
    expect((await run()).err).toMatch(/^Found no job or application in the table\.$/m);
    await load(table, createReadStream(SAMPLE));
    await apply(table, { tenant: 'acme#' }, ['1']);
    for (const tenant of ['acme', 'acme#']) {
      const guard = { revision: 1_793_698_013_589, expires_at: 4_102_444_800 };
      await table.put({ ...applicationKey(tenant, '1', 'gone'), removed: true, ...guard });
      await table.put({ ...erasureKey(tenant, 'erased'), ...guard });
    }
    const { out } = await run(['--tenant', 'acme']);
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ type, tenant }) => `${type} of ${tenant}`).toSorted()).toEqual([
      'application of acme',
      'erasure of acme',
      'job of acme',
      'removal of acme',
    ]);
    const none = await run(['--tenant', 'amce']);
    expect([none.exitCode, none.out]).toEqual([1, '']);
    expect(none.err).toMatch(/^Found no job or application of tenant "amce"\.$/m);
  });

  it('exports and names a record that the import would refuse or change', async ({
    table,
    run,
  }) => {
    await table.put(jobItem({ job: '1' }, { tenant_id: 'default', job_id: '1' }));
    await table.put({ ...jobKey('default', '2'), status: 'draft', version: 1 });
    await table.put(applicationItem({}, { ...leastApplication, nickname: 'Aninha' }));
    expect((await run()).exitCode).toBe(1);
    for (const pk of ['x', 'y', 'z']) await table.put({ pk, sk: 'OTHER' });
    const { exitCode, out, err } = await run();
    expect(exitCode).toBe(1);
    const line =
      '{"type":"job","tenant":"default","id":"1","status":"draft","title":"Data Engineer","version":1}';
    expect(out.split('\n')).toContain(line);
    expect(err).toMatch(/^job "1" of tenant "default": .*\/title is not a known member$/m);
    expect(err).toMatch(/^job "2" of tenant "default": .*tenant_id, job_id$/m);
    expect(err).toMatch(/^candidate "c-1", job "j-1" of tenant "default": .*\/nickname is not/m);
    expect(err).toMatch(
      /^2 jobs and 1 application exported\.\nAn import would refuse or change 3 records\.\n3 items left out/m,
    );
  });

  it('writes null for each optional value that breaks its rule, so that an import stores the rest', async ({
    table,
    run,
  }) => {
    const [ENTRY] = fullApplication.education;
    const [EVALUATION] = fullApplication.evaluations;
    const broken: Readonly<Record<string, readonly [stored: unknown, nulled?: unknown]>> = {
      phone: ['011 5550'],
      linked_in: ['n/a'],
      resume_url: ['https:///cv.pdf'],
      video_url: ['s3://files/../cv.pdf'],
      summary: ['10 \u0096 12'],
      city: [7],
      region: [new Set(['x'])],
      country: [{ code: 'BR' }],
      position: [true],
      score: ['8,5'],
      education: [
        [ENTRY, { ...ENTRY, start_date: '2016-02-31', end_date: '0000', current: 'no' }],
        [ENTRY, { ...ENTRY, start_date: null, end_date: null, current: null }],
      ],
      experience: [[{ title: ['x'], location: 'x' }], [{ title: null, location: 'x' }]],
      evaluations: [
        [{ ...EVALUATION, recommendation: 'maybe', score: '4', submitted_at: 'today' }],
        [{ ...EVALUATION, recommendation: null, score: null, submitted_at: null }],
      ],
    };
    for (const [job, [stored]] of Object.entries(broken)) {
      const fields = { ...fullApplication, [job]: stored };
      await table.put(newApplicationItem('default', job, 'c-1', fields));
    }
    await load(table, streamOf(applicationLine('whole')));
    const { exitCode, out, err } = await run();
    expect(exitCode).toBe(1);
    const other = await createTestTable();
    expect(await load(other, streamOf(out))).toMatchObject({ refused: [] });
    for (const [job, [, nulled = null]] of Object.entries(broken)) {
      expect(err).toMatch(new RegExp(`job "${job}" of .*: exported as null, .*: /${job}\\b[^;]*`));
      const expected = JSON.parse(JSON.stringify({ ...fullApplication, [job]: nulled }));
      const stored = await other.read(applicationKey('default', job, 'c-1'));
      expect({ ...fullApplication, [job]: null, ...stored }).toMatchObject(
        nulled === null ? expected : { ...fullApplication, [job]: expect.anything() },
      );
    }
    expect(err).toContain('An import would refuse or change 13 records.');
    expect(await other.read(applicationKey('default', '4007', 'whole'))).toEqual(
      await table.read(applicationKey('default', '4007', 'whole')),
    );
  });

  it('leaves out and rounds nothing in an element, and names what an import would refuse or change', async ({
    table,
    run,
  }) => {
    const stored: Readonly<Record<string, string>> = {
      text: '{"S": "USP 2010"}',
      set: '{"M": {"x": {"SS": ["a"]}}}',
      bytes: '{"M": {"x": {"B": "AQI="}}}',
      number: '{"M": {"x": {"N": "12345678901234567890"}}}',
      proto: '{"M": {"__proto__": {"S": "x"}}}',
      constructed: '{"M": {"constructor": {"S": "x"}}}',
      nothing: '{"M": {"x": {"NULL": true}}}',
    };
    for (const [job, element] of Object.entries(stored)) {
      const item = newApplicationItem('default', job, 'c-1', fullApplication);
      const education: AttributeValue = JSON.parse(`{"L": [${element}]}`);
      const Item = { ...marshall(item), education };
      await table.client.send(new PutItemCommand({ TableName: table.name, Item }));
    }
    const { exitCode, out, err } = await run();
    expect(exitCode).toBe(1);
    const lists = Array.from(out.matchAll(/"education":(\[.*?\]),"email"/g), ([, list]) => list);
    expect(lists.toSorted()).toEqual(
      [
        '["USP 2010"]',
        '[{"__proto__":"x"}]',
        '[{"constructor":"x"}]',
        '[{"x":"12345678901234567890"}]',
        '[{"x":"AQI="}]',
        '[{"x":["a"]}]',
        '[{"x":null}]',
      ].toSorted(),
    );
    for (const job of ['text', 'proto', 'constructed']) {
      expect(err).toMatch(new RegExp(`job "${job}" of .*: the import refuses .*/education/0 `));
    }
    for (const job of ['set', 'bytes', 'number']) {
      expect(err).toMatch(
        new RegExp(`job "${job}" of .*: the import stores other .* education$`, 'm'),
      );
    }
    expect(err).not.toContain('job "nothing"');
    const { document } = await readDocument(table, { tenant: 'default', id: 'c-1' }, 'index');
    const copies = document.applications.map(({ education }) => JSON.stringify(education));
    expect(copies).toHaveLength(lists.length);
    expect(copies).toEqual(expect.arrayContaining(['["USP 2010"]', '[{"__proto__":"x"}]']));
  });

  it('writes the table in segments, each of which may be empty', async ({ table, run }) => {
    await apply(table, {}, jobs(50));
    const parts = await Promise.all([1, 2, 3].map((part) => run(['--segment', `${part}/3`])));
    expect(parts.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const lines = parts.flatMap(({ out }) => out.split('\n')).filter(Boolean);
    const whole = (await run()).out.trimEnd().split('\n');
    expect(lines.toSorted()).toEqual(whole.toSorted());
    expect(Math.max(...parts.map(({ out }) => out.split('\n').length))).toBeLessThan(50);
    const empty = await createTestTable();
    const args = ['--table', empty.name, '--segment', '1/1'];
    expect((await runCommand(command, args)).exitCode).toBe(0);
  });

  it('ends without a message if the reader of its output ends, such as `| head`', async ({
    table,
  }) => {
    await apply(table, {}, jobs(TWO_PAGES), { summary: 'x'.repeat(1000) });
    const child = start('data/export/export', ['--table', table.name]);
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toEqual([[1, null], '']);
  });

  it('reads pages of 500 items, and prints the error that stopped it', async ({ table, run }) => {
    await apply(table, {}, jobs(TWO_PAGES));
    const faults = ['none', dynamoError(400, 'AccessDeniedException')] as const;
    const { exitCode, out, err } = await runAmid(faults, (env) => run([], { env }));
    expect([exitCode, out.split('\n').length]).toEqual([1, PAGE_ITEMS + 1]);
    expect(err).toBe('Invented.\n');
  });
});
