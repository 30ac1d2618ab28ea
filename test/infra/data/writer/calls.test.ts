// Makes the calls in test/support/calls.json through the built package, and again as an import. `now` and `revision` are
// in milliseconds since 1970; `{"repeat": [character, count]}` is a string of one repeated character.
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { Application } from '../../../../functions/domain/application.ts';
import { jobStatuses } from '../../../../functions/domain/job.ts';
import { isObject, keysOf } from '../../../../functions/domain/own-value.ts';
import { pick } from '../../../../functions/domain/pick.ts';
import { timestampOf } from '../../../../functions/domain/timestamp.ts';
import { HIDDEN } from '../../../../functions/domain/web-address.ts';
import {
  applicationKey,
  candidateKey,
  erasureKey,
  jobKey,
  type Key,
} from '../../../../functions/store/keys.ts';
import { recordSchemas } from '../../../../infra/data/records/record-schema.ts';
import { fileCheck } from '../../../../infra/data/table/files-bucket.ts';
import { buildPackage } from '../../../../infra/data/writer/build.ts';
import type { InvalidRecord, recordWriter } from '../../../../infra/data/writer/record-writer.ts';
import { HIDDEN_RANGES, recordDocument } from '../../../../infra/documents/record-document.ts';
import { applicationItem, jobItem, leastApplication } from '../../../support/items.ts';
import { load } from '../../../support/records.ts';
import { loadFunctions, startService } from '../../../support/service.ts';

type Item = Key & Readonly<Record<string, unknown>>;
interface Call {
  call: string;
  settings: { tenantClaim: string; filesBucket?: string; expireAfterDays?: number };
  now: number;
  record: Readonly<Record<string, unknown>>;
  revision?: unknown;
}

interface Calls {
  keys: { id: string; job: Key; application: Key; candidate_pk: string; erasure: Key }[];
  stored: (Call & { item: Item })[];
  refused: (Call & { members: string[] })[];
}

const file = new URL('../../../support/calls.json', import.meta.url);
const { keys, stored, refused }: Calls = JSON.parse(await readFile(file, 'utf8'));
const TYPES: Readonly<Record<string, string>> = {
  putApplication: 'application',
  removeApplication: 'removal',
  createJob: 'job',
};

const wholeRecord = ({ record }: Call) =>
  Object.fromEntries(
    Object.entries(record).map(([member, value]) => {
      const [character, count] = isObject(value) && Array.isArray(value.repeat) ? value.repeat : [];
      return [member, character === undefined ? value : String(character).repeat(Number(count))];
    }),
  );

/** The call's record, as a line to import. */
const lineRecord = ({ item, ...call }: Call & { item?: Item }) => ({
  type: TYPES[call.call],
  ...wholeRecord(call),
  ...(call.revision !== undefined && { revision: call.revision }),
  ...(call.call === 'removeApplication' && { expires_at: item?.expires_at ?? 1_800_000_000 }),
});

const folder = await mkdtemp(join(tmpdir(), 'recruitment-writer-'));
afterAll(() => rm(folder, { recursive: true }));
await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
await buildPackage(folder);
const writer: { recordWriter: typeof recordWriter; InvalidRecord: typeof InvalidRecord } =
  await import(join(folder, 'index.js'));

const service = await startService({
  FILES_BUCKET: 'example-files,old-files',
  FILES_URL: 'https://*.s3.us-east-1.amazonaws.com',
});
const { client, name: table } = service.table;

function write(call: Call): Promise<unknown> {
  const methods = writer.recordWriter({ client, table, clock: () => call.now, ...call.settings });
  const method = Reflect.get(methods, call.call);
  return method(wholeRecord(call), call.revision);
}

async function refusalOf(call: Call): Promise<InvalidRecord> {
  try {
    await write(call);
  } catch (error) {
    if (error instanceof writer.InvalidRecord) return error;
    throw error;
  }
  throw new Error('The writer has not refused the record.');
}

async function importLine(call: Call & { item?: Item }) {
  const { tenantClaim, filesBucket, expireAfterDays } = call.settings;
  const input = Readable.from([Buffer.from(JSON.stringify(lineRecord(call)))]);
  const bucket = { table, 'files-bucket': filesBucket, 'whole-bucket': tenantClaim === 'none' };
  const options = { expireAfterDays, checkFile: fileCheck(bucket), clock: () => call.now };
  const { refused: lines } = await load(service.table, input, options);
  return lines.map(([, reason]) => reason);
}

async function take({ pk, sk }: Key) {
  const item = await service.table.read({ pk, sk });
  await client.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
  return item;
}

it.each(stored.map((call, at) => ({ at, ...call })))(
  '$call stores record $at, as its import does',
  async (call) => {
    expect(await write(call)).toMatch(/^(stored|removed|created)$/);
    expect(await take(call.item)).toEqual(call.item);
    const reasons = await importLine(call);
    if (call.record.id === '1.23457E+11') {
      expect(reasons).toEqual([expect.stringContaining('a number in another notation')]);
    } else {
      expect(reasons).toEqual([]);
      expect(await take(call.item)).toEqual(call.item);
    }
  },
);

it.each(refused.map((call, at) => ({ at, ...call })))(
  '$call refuses record $at, and so does its import',
  async (call) => {
    const { faults, message } = await refusalOf(call);
    expect(faults.map(({ member }) => member)).toEqual(call.members);
    const isLive = faults.some(
      ({ member, rule }) =>
        ['/type', '/tenant', '/revision'].includes(member) ||
        /live writes|filesBucket is not set/.test(rule),
    );
    if (isLive) return;
    const reasons = await importLine(call);
    // Only imports refuse placeholders such as NULL, so their message differs.
    if (!String(reasons).includes('missing value')) {
      expect([message]).toEqual(reasons.map(messageOf));
    }
  },
);

const messageOf = (reason: string | undefined) => `Invalid record: ${reason}`;

describe('the API, with these items in the table', async () => {
  const withTenants = await loadFunctions(service, {
    FILES_BUCKET: 'example-files,old-files',
    FILES_URL: 'https://*.s3.us-east-1.amazonaws.com',
    TENANT_CLAIM: 'org_id',
  });
  const functionsFor = async (tenant: unknown) =>
    tenant === undefined
      ? { functions: service, token: await service.issuer.mint() }
      : { functions: withTenants, token: await service.issuer.mint({ org_id: tenant }) };
  const patch = { body: { status: 'published' }, headers: { 'content-type': 'application/json' } };

  it.each(keys)('finds the items of the id $id', async ({ id, ...expected }) => {
    const [job, application, erasure] = [
      jobKey(id, id),
      applicationKey(id, id, id),
      erasureKey(id, id),
    ];
    // Existing tables have these keys, so they must never change.
    expect({ job, application, ...candidateKey(id, id), erasure }).toEqual(expected);
    const { functions, token } = await functionsFor(id);
    const names = { tenant: id, job: id, candidate: id };
    await service.table.put(applicationItem(names, { ...leastApplication, user_id: id }));
    await service.table.put(jobItem(names));
    const read = await functions.getApplication({
      token,
      pathParameters: { id, candidate_id: id },
    });
    expect(read.body).toMatchObject({ user_id: id });
    const changed = await functions.updateJobStatus({ token, pathParameters: { id }, ...patch });
    expect(changed.body).toEqual({ success: true });
  });

  const applications = stored.filter(({ call }) => call === 'putApplication');

  it.each(applications.map((call, at) => ({ at, ...call })))(
    'reads application $at',
    async ({ record, item }) => {
      await service.table.put(item);
      const { functions, token } = await functionsFor(record.tenant);
      const pathParameters = { id: String(item.job_id), candidate_id: String(record.user_id) };
      const { status, body } = await functions.getApplication({ token, pathParameters });
      const isExpired = Number(item.expires_at) * 1000 <= Date.now();
      expect(status).toBe(isExpired ? 404 : 200);
      if (isExpired) return;
      const expected = Object(pick(Application, item, () => {}));
      for (const name of ['resume_url', 'video_url']) {
        const isFile = String(expected[name]).startsWith('s3://');
        if (isFile) expected[name] = expect.stringMatching(/^https:\/\/\S+X-Amz-Signature=/);
      }
      expect(body).toEqual(expected);
    },
  );
});

describe('the schema of records', () => {
  // This service's checks; other programs that use the schema have checks of their own.
  const formats = {
    'date-time': (text: string) => timestampOf(text) !== undefined,
    date: (text: string) => timestampOf(`${text}T00:00:00Z`) !== undefined,
  };
  const isValidRecord = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats }).compile(
    recordDocument(),
  );

  it('fits all stored records', () => {
    expect(stored.filter((call) => !isValidRecord(lineRecord(call)))).toEqual([]);
  });

  it('lists what URLs and profiles may not contain below U+10000', () => {
    const [own, portable] = [HIDDEN, HIDDEN_RANGES].map((list) => new RegExp(`[${list}]`, 'u'));
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const different = characters.filter((one) => own?.test(one) !== portable?.test(one));
    expect(different).toEqual([]);
  });

  it('refuses by its keywords nearly all refused records', () => {
    const passed = refused.filter((call) => isValidRecord(lineRecord(call)));
    // No JSON Schema keyword expresses these rules: bytes of ids, whole URLs, format characters above U+FFFF, a
    // record's size, a deployment's settings, the present time, the first year, and members that only live writes forbid.
    const coded = [
      '/id',
      '/tenant',
      '/linked_in',
      '/resume_url',
      '/video_url',
      '/version',
      '/created_at',
      '/expires_at',
    ];
    const members = passed.flatMap((call) => call.members);
    expect(members.filter((member) => ![...coded, '/revision', ''].includes(member))).toEqual([]);
    expect(passed.length).toBeLessThan(30);
  });
});

it('the calls store each status of a job, and each member of an application with a value and without one', () => {
  const records = stored.map(({ record }) => record);
  const statuses = new Set(records.flatMap(({ status }) => status ?? []));
  expect([...statuses].toSorted()).toEqual(jobStatuses.toSorted());
  for (const member of keysOf(Application.properties)) {
    const values = records.map((record) => record[member]);
    expect(
      values.some((value) => value !== null && value !== undefined),
      member,
    ).toBe(true);
    const isRequired = recordSchemas.application.required.includes(member);
    expect(values.includes(null), member).toBe(!isRequired);
  }
});
