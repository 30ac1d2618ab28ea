import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { MAX_ELEMENTS, MAX_NESTING } from '../../../functions/domain/platform-json.ts';
import { keyAttributes } from '../../../functions/store/keys.ts';
import { problemBody } from '../../support/contract.ts';
import { nowInSeconds } from '../../support/issuer.ts';
import { applicationItem, fullApplication } from '../../support/items.ts';
import { startProxiedService } from '../../support/service.ts';

describe('a stored application', async () => {
  const service = await startProxiedService();

  const read = (candidate: string) =>
    service.getApplication({ pathParameters: { id: 'j-1', candidate_id: candidate } });
  const store = (candidate: string, members: Readonly<Record<string, unknown>>) =>
    service.table.put(
      applicationItem({ candidate }, { ...fullApplication, user_id: candidate, ...members }),
    );

  it.each([
    ['a second ago', -1, 404],
    ['in a minute', 60, 200],
  ])(
    'that expires %s is there or not, whether DynamoDB has deleted it or not',
    async (_, in_s, status) => {
      await store('mortal', { [keyAttributes.timeToLive]: nowInSeconds() + in_s });
      const response = await read('mortal');
      expect(response.status).toBe(status);
      if (status === 404) expect(response.body).toEqual(problemBody('application_not_found'));
    },
  );

  it('is gone in the very millisecond of its expiry', async () => {
    const expiry = nowInSeconds();
    for (const digits of ['', '.00000000000000000001']) {
      await store('mortal', { expires_at: NumberValue.from(`${expiry}${digits}`) });
      vi.useFakeTimers({ toFake: ['Date'], now: expiry * 1000 });
      const { status } = await read('mortal').finally(() => vi.useRealTimers());
      expect(status).toBe(404);
    }
  });

  it('does not expire if its expiry is not a number, which DynamoDB ignores too', async () => {
    await store('immortal', { expires_at: '1' });
    expect((await read('immortal')).status).toBe(200);
  });

  it('is gone once it was removed, while its tombstone is stored', async () => {
    const { pk, sk } = applicationItem({ candidate: 'removed' }, fullApplication);
    const revision = Date.now();
    await service.table.put({ pk, sk, revision, removed: true, expires_at: nowInSeconds() + 60 });
    const { status, body } = await read('removed');
    expect(status).toBe(404);
    expect(body).toEqual(problemBody('application_not_found'));
  });

  it('is not missing because a response was lost on its way and is empty', async () => {
    service.proxy.expect({ status: 200, body: '{}' });
    expect((await read('c-1')).status).toBe(503);
    service.proxy.expect('none');
  });

  it.each([
    ['beyond 2^53', '12345678901234567890', '12345678901234567000'],
    ['that is huge', '1.5E+125', '1.5e+125'],
    ['that is tiny', '1E-130', '1e-130'],
  ])('may have a score %s', async (_, stored, returned) => {
    await store('scored', { score: NumberValue.from(stored) });
    const { status, text } = await read('scored');
    expect(status).toBe(200);
    expect(text).toContain(`"score":${returned},`);
  });

  const ENTRY = { ...fullApplication.education[0] };
  const EVALUATION = { ...fullApplication.evaluations[0] };

  it.each([
    ['is not a text', 'phone', new Set(['must-not-leave']), null],
    ['is not a number', 'score', 'must-not-leave', null],
    ['is not a telephone number', 'phone', 'call must-not-leave', null],
    ['lacks the country prefix', 'phone', '5550', null],
    ['has a scheme', 'linked_in', 'HTTPS://linkedin.example.com/ana', 'linkedin.example.com/ana'],
    ['is not host and path', 'linked_in', 'javascript:must-not-leave', null],
    ['is a list', 'linked_in', ['must-not-leave'], null],
    ['is a script', 'resume_url', 'javascript:must-not-leave', null],
    ['has white space', 'resume_url', 'https://example.com/must not-leave', null],
    ['is two', 'video_url', 'https://a.example/1,https://b.example/must-not-leave', null],
    ['has no host', 'video_url', 'https:///must-not-leave', null],
    ['is no URI of a file', 'video_url', 'S3://bucket/must-not-leave', null],
    ['is in another form', 'created_at', '2026-09-14T14:30:45+02:00', '2026-09-14T12:30:45.000Z'],
    [
      'is in another form',
      'evaluations',
      [{ ...EVALUATION, submitted_at: '2026-09-14T12:30:45Z' }],
      [{ ...EVALUATION, submitted_at: '2026-09-14T12:30:45.000Z' }],
    ],
    ['is no object', 'education', ['must-not-leave', ENTRY], [ENTRY]],
    ['is null', 'education', [null, ENTRY], [ENTRY]],
    ['is a set', 'education', [new Set(['must-not-leave']), ENTRY], [ENTRY]],
    [
      'is a set',
      'evaluations',
      [{ ...EVALUATION, evaluator: new Set(['must-not-leave']) }],
      [{ ...EVALUATION, evaluator: null }],
    ],
    [
      'is a text',
      'evaluations',
      [{ ...EVALUATION, evaluator: 'must-not-leave' }],
      [{ ...EVALUATION, evaluator: null }],
    ],
    [
      'is a set',
      'education',
      [{ ...ENTRY, own: { tags: new Set(['must-not-leave']) } }],
      [{ ...ENTRY, own: { tags: null } }],
    ],
    [
      'is binary',
      'education',
      [{ ...ENTRY, own: [Buffer.from('must-not-leave')] }],
      [{ ...ENTRY, own: [null] }],
    ],
    [
      'has lost digits',
      'education',
      [{ ...ENTRY, own: NumberValue.from('12345678901234567890') }],
      [{ ...ENTRY, own: null }],
    ],
    [
      'is not a date',
      'education',
      [ENTRY, { ...ENTRY, start_date: 'must-not-leave' }],
      [ENTRY, { ...ENTRY, start_date: null }],
    ],
    [
      'is not a recommendation',
      'evaluations',
      [{ ...EVALUATION, recommendation: 'must-not-leave' }],
      [{ ...EVALUATION, recommendation: null }],
    ],
    [
      'is not the name of an evaluator',
      'evaluations',
      [{ ...EVALUATION, evaluator: { id: 'u-7', name: { first: 'must-not-leave' } } }],
      [{ ...EVALUATION, evaluator: { id: 'u-7', name: null } }],
    ],
  ])(
    'whose value %s in %s is read without that value, and the log counts it',
    async (_, field, stored, returned) => {
      await store('old', { [field]: stored });
      const { status, body, text } = await read('old');
      expect([status, body]).toEqual([
        200,
        { ...fullApplication, user_id: 'old', [field]: returned },
      ]);
      expect(text + service.log.text).not.toContain('must-not-leave');
      expect(service.log.lines).toMatchObject([{ outcome: 'ok', repaired_fields: 1 }]);
    },
  );

  it('counts every replaced value, and is not counted if there is none', async () => {
    const education = [{ start_date: 'n/a', current: 'n/a' }];
    await store('old', { linked_in: 'n/a', resume_url: '', video_url: 'n/a', education });
    await read('old');
    await store('old', {});
    await read('old');
    const counts = service.log.lines.map(({ repaired_fields }) => repaired_fields);
    expect(counts).toEqual([5, undefined]);
  });

  it('with many broken entries is read, and each is counted', async () => {
    const education = Array.from({ length: MAX_ELEMENTS }, () => ({ end_date: 'x' }));
    await store('old', { education });
    expect((await read('old')).status).toBe(200);
    expect(service.log.lines).toMatchObject([{ repaired_fields: MAX_ELEMENTS }]);
  });

  /** `element` is JSON text: neither JavaScript nor the SDK can write some of these values. */
  const storeRaw = async (candidate: string, element: string) => {
    const item = applicationItem({ candidate }, { ...fullApplication, user_id: candidate });
    const education: AttributeValue = JSON.parse(`{"L": [{"M": ${element}}]}`);
    const Item = { ...marshall(item), education };
    await service.table.client.send(new PutItemCommand({ TableName: service.table.name, Item }));
  };
  const rawNested = (levels: number): string =>
    levels === 0 ? '{"S": "x"}' : `{"L": [${rawNested(levels - 1)}]}`;

  it.each([
    ['named __proto__', '{"__proto__": {"S": "x"}}', {}],
    ['named __proto__, with members', '{"__proto__": {"M": {"degree": {"S": "x"}}}}', {}],
    ['named constructor', '{"x": {"M": {"constructor": {"S": "x"}}}}', { x: {} }],
    ['named additionalProperties', '{"additionalProperties": {"M": {}}}', {}],
    ['named as a described one, but in capitals', '{"Degree": {"S": "x"}}', {}],
    ['of many digits', '{"x": {"N": "0.12345678901234567890"}}', { x: null }],
    ['of sets', '{"x": {"L": [{"NS": ["1"]}]}}', { x: [null] }],
    [
      'nested too deep',
      `{"x": ${rawNested(MAX_NESTING + 1)}}`,
      { x: JSON.parse(`${'['.repeat(MAX_NESTING)}null${']'.repeat(MAX_NESTING)}`) },
    ],
  ])('with a member of the platform %s is read without it, and it counts', async (_, raw, rest) => {
    await storeRaw('raw', raw);
    const { status, body } = await read('raw');
    const described = Object.fromEntries(Object.keys(ENTRY).map((name) => [name, null]));
    expect([status, body.education]).toEqual([200, [{ ...described, ...rest }]]);
    expect(service.log.lines).toMatchObject([{ outcome: 'ok', repaired_fields: 1 }]);
  });

  it('has as many elements in a list as a response may have, and the others are counted', async () => {
    await store('long', { education: Array.from({ length: MAX_ELEMENTS + 2 }, () => ({})) });
    const { status, body } = await read('long');
    expect([status, Object(body.education).length]).toEqual([200, MAX_ELEMENTS]);
    expect(service.log.lines).toMatchObject([{ repaired_fields: 2 }]);
  });

  it('keeps what the import refuses and a client can still read', async () => {
    const members = {
      email: 'mailto:ana@example.com',
      summary: 'caf\u0082',
      education: [{ ...fullApplication.education[0], start_date: '2016-02-31', own: 'caf\u0082' }],
    };
    await store('old', members);
    const { status, body } = await read('old');
    expect([status, body]).toEqual([200, { ...fullApplication, user_id: 'old', ...members }]);
    expect(service.log.lines[0]).not.toHaveProperty('repaired_fields');
  });

  it.each([
    ['email must be string', { email: undefined }],
    ['created_at must match', { created_at: '2026-02-30T00:00:00.000Z' }],
    ['education must be array', { education: 'must-not-leave', phone: 'n/a' }],
    ["user_id is not the key's", { user_id: 'must-not-leave' }],
  ])('is invalid if %s, which the log says without a value', async (fault, members) => {
    await store('invalid', members);
    const { status, body } = await read('invalid');
    expect(status).toBe(500);
    expect(body).toEqual(problemBody('stored_data_invalid'));
    const detail = expect.stringContaining(`A stored application is invalid: ${fault}`);
    expect(service.log.lines).toMatchObject([
      { level: 'WARN', outcome: 'stored_data_invalid', failure: { detail } },
    ]);
    expect(service.log.text).not.toMatch(/must-not-leave|ana@example\.com|Ana Example/);
  });
});
