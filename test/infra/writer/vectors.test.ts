import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { Application } from '../../../functions/domain/application.ts';
import { isIdentifier } from '../../../functions/domain/identifier.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';
import { keysOf } from '../../../functions/domain/own-value.ts';
import { pick } from '../../../functions/domain/pick.ts';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';
import { HIDDEN, profileOf } from '../../../functions/domain/web-address.ts';
import { HIDDEN_RANGES, recordDocument } from '../../../infra/records/document.ts';
import { recordSchemas } from '../../../infra/records/record-schema.ts';
import { timestampOf } from '../../../infra/records/storable.ts';
import { recordDeclarations } from '../../../infra/writer/declarations.ts';
import { recordVectors, vectorsText } from '../../../infra/writer/vectors.ts';
import { applicationItem, jobItem, leastApplication } from '../../support/items.ts';
import { loadFunctions, startService } from '../../support/service.ts';

const { keys, stored, refused } = recordVectors();
const FILES = {
  FILES_BUCKET: 'example-files,old-files',
  FILES_URL: 'https://*.s3.us-east-1.amazonaws.com',
};

describe('a generated document is up to date (`npm run generate`):', () => {
  it.each([
    ['docs/record-vectors.json', vectorsText],
    ['docs/record.schema.json', () => `${JSON.stringify(recordDocument(), null, 2)}\n`],
    ['infra/records/record-types.ts', recordDeclarations],
  ])('%s', async (name, text) => {
    await expect(text()).toMatchFileSnapshot(`../../../${name}`);
  });
});

describe('the API, with the items of the vectors in the table', async () => {
  const service = await startService(FILES);
  const withTenants = await loadFunctions(service, { ...FILES, TENANT_CLAIM: 'org_id' });

  const functionsFor = async (tenant: unknown) =>
    tenant === undefined
      ? { functions: service, token: await service.issuer.mint() }
      : { functions: withTenants, token: await service.issuer.mint({ org_id: tenant }) };
  const patch = { body: { status: 'published' }, headers: { 'content-type': 'application/json' } };

  it.each(keys)(
    'finds the items of the id $id',
    async ({ id, job, application, candidate_pk, erasure }) => {
      const { functions, token } = await functionsFor(id);
      const names = { tenant: id, job: id, candidate: id };
      const members = { ...leastApplication, user_id: id };
      await service.table.put({ ...applicationItem(names, members), ...application, candidate_pk });
      await service.table.put({ ...jobItem(names), ...job });
      const pathParameters = { id, candidate_id: id };
      const read = await functions.getApplication({ token, pathParameters });
      expect(read.body).toMatchObject({ user_id: id });
      const changed = await functions.updateJobStatus({ token, pathParameters: { id }, ...patch });
      expect(changed.body).toEqual({ success: true });
      expect(erasure).toEqual({ pk: candidate_pk, sk: 'ERASURE' });
    },
  );

  it.each(stored.map((vector, at) => ({ at, ...vector })))(
    'reads or changes the stored item $at of $call',
    async ({ call, record, item }) => {
      await service.table.put(item);
      const given: { tenant?: string; user_id?: string } = { ...record };
      const { functions, token } = await functionsFor(given.tenant);
      const id = String(item.job_id ?? decodeURIComponent(item.pk.split('#').at(-1) ?? ''));
      const pathParameters = { id, candidate_id: String(given.user_id) };
      if (call === 'createJob') {
        const response = await functions.updateJobStatus({
          token,
          pathParameters: { id },
          ...patch,
        });
        expect(response).toMatchObject({ status: 200, body: { success: true } });
        return;
      }
      const { status, body } = await functions.getApplication({ token, pathParameters });
      const isExpired = Number(item.expires_at) * 1000 <= Date.now();
      expect(status).toBe(call === 'removeApplication' || isExpired ? 404 : 200);
      if (status === 404) return;
      const expected = JSON.parse(JSON.stringify(pick(Application, record)), (name, value) =>
        ['created_at', 'submitted_at'].includes(name) && value ? timestampOf(value) : value,
      );
      for (const name of ['phone', 'linked_in', 'resume_url', 'video_url']) expected[name] ||= null;
      if (expected.linked_in !== null) expected.linked_in = profileOf(expected.linked_in);
      for (const name of ['resume_url', 'video_url']) {
        const isFile = expected[name]?.startsWith('s3://');
        if (isFile) expected[name] = expect.stringMatching(/^https:\/\/\S+X-Amz-Signature=/);
      }
      expect(body).toEqual(expected);
    },
  );
});

describe('the schema of records', () => {
  // This service's check of `date-time`; other programs that use the schema have checks of their own.
  const formats = { 'date-time': (text: string) => timestampOf(text) !== undefined };
  const isValidRecord = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats }).compile(
    recordDocument(),
  );
  const types: Readonly<Record<string, string>> = {
    putApplication: 'application',
    removeApplication: 'removal',
    createJob: 'job',
  };
  const whole = ({ call, record, revision, item }: (typeof stored)[number]) => ({
    type: types[call],
    ...record,
    ...(revision !== undefined && { revision }),
    ...(call === 'removeApplication' && { expires_at: item.expires_at }),
  });

  it.each(stored.map((vector, at) => ({ at, ...vector })))(
    'fits the stored record $at',
    ({ at: _, ...vector }) => {
      expect(isValidRecord(whole(vector))).toBe(true);
    },
  );

  it('lists what URLs and profiles may not contain below U+10000', () => {
    const [own, portable] = [HIDDEN, HIDDEN_RANGES].map((list) => new RegExp(`[${list}]`, 'u'));
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const different = characters.filter((one) => own?.test(one) !== portable?.test(one));
    expect(different).toEqual([]);
  });

  it('refuses by its keywords nearly all refused records', () => {
    const passed = refused.filter((vector) =>
      isValidRecord(whole({ ...vector, item: {} } as never)),
    );
    const members = passed.flatMap(({ faults }) => faults.map(({ member }) => member));
    // No JSON Schema keyword expresses these rules: bytes of ids, whole URLs, format characters above U+FFFF, years in
    // UTC, a record's size, a deployment's settings, and members that only live writes forbid.
    const coded = [
      '/id',
      '/tenant',
      '/linked_in',
      '/resume_url',
      '/video_url',
      '/created_at',
      '/version',
      '/revision',
      '',
    ];
    expect(members.filter((member) => !coded.includes(member))).toEqual([]);
    expect(passed.length).toBeLessThan(25);
  });
});

describe('the vectors', () => {
  it('are at least 200, and all differ', () => {
    const all = [...keys, ...stored, ...refused].map((vector) => JSON.stringify(vector));
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(200);
  });

  it('cover each status of a job, and each member of an application with a value and without one', () => {
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

  it('have items that only the contract describes', () => {
    for (const { item } of stored) {
      if (item.created_at !== undefined) expect(isTimestamp(String(item.created_at))).toBe(true);
      expect(JSON.stringify(item)).not.toContain('null');
    }
    for (const { id } of keys) expect(isIdentifier(id)).toBe(true);
  });
});
