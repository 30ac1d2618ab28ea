import { BatchWriteCommand, NumberValue } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { getApplication } from '../../functions/operations/get-application/contract.ts';
import { credentials } from '../support/credentials.ts';
import { applicationItem, fullApplication } from '../support/items.ts';
import { misfit, responsesOf } from '../support/openapi-document.ts';
import { startService } from '../support/service.ts';
import { scaled, seed } from './random-cases.ts';

/** Limit of BatchWriteItem. */
const BATCH = 25;

const { user_id, name, email, stage_id, stage_title, created_at } = fullApplication;
const required = { user_id, name, email, stage_id, stage_title, created_at };

const digits = fc.string({ unit: fc.constantFrom(...'0123456789 -./()x+'), maxLength: 24 });
const address = fc.string({ unit: fc.constantFrom(...'ab.:/?#@% \\\u0096é'), maxLength: 20 });
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((any) => any.toWellFormed()),
  digits.map((rest) => `+${rest}`),
  address.map((rest) => `https://${rest}`),
  address.map((rest) => `s3://example-files/${rest}`),
  address.map((rest) => `linkedin.example.com/${rest}`),
  fc.constantFrom('2026-02-31', '0000', '2016', '2026-09-14T12:30:45.123Z', 'yes', '', 's3://'),
);
const scalar = fc.oneof(
  { arbitrary: text, weight: 5 },
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ min: 1e-100, max: 1e15, noNaN: true }),
  fc.constantFrom('1.5E+125', '-1E-130').map((literal) => NumberValue.from(literal)),
);
const value = fc.oneof(
  { arbitrary: scalar, weight: 9 },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'type'), scalar, { maxKeys: 2 }),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
  text.map((one) => new Set([one])),
);

/** Members in `names` may be missing; those in `fixed` may not. */
const members = (names: readonly string[], fixed: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record(
    { ...Object.fromEntries(names.map((one) => [one, value])), ...fixed },
    { requiredKeys: Object.keys(fixed) },
  );
const id = fc.constantFrom('ev-1', '');
const entries = (of: fc.Arbitrary<object>) => fc.option(fc.array(of, { maxLength: 3 }));
const [education] = fullApplication.education;
const [position] = fullApplication.experience;
const evaluated = ['stage_id', 'stage_title', 'recommendation', 'score', 'comment', 'submitted_at'];
const nullable = Object.keys(fullApplication).filter((one) => !(one in required));

const application = members(nullable, {
  education: entries(members(Object.keys(education ?? {}))),
  experience: entries(members(Object.keys(position ?? {}))),
  evaluations: entries(members(evaluated, { id, evaluator: members(['name'], { id }) })),
});

describe('any stored values of nullable fields', async () => {
  const service = await startService({
    FILES_BUCKET: 'example-files',
    FILES_URL: 'https://*.s3.us-east-1.amazonaws.com',
  });
  const token = await service.issuer.mint();
  const { schema } = responsesOf(getApplication)['200']?.content['application/json'] ?? {};
  afterAll(() => vi.unstubAllEnvs());

  it('are read, in a form that fits the OpenAPI document', async () => {
    for (const [variable, given] of Object.entries(credentials)) vi.stubEnv(variable, given);
    const numRuns = scaled(100_000);
    const items = fc
      .sample(application, { numRuns, seed: seed() })
      .map((fields, at) =>
        applicationItem({ candidate: `c-${at}` }, { ...required, ...fields, user_id: `c-${at}` }),
      );
    let repaired = 0;
    for (let at = 0; at < items.length; at += BATCH) {
      const batch = items.slice(at, at + BATCH);
      const requests = batch.map((item) => ({ PutRequest: { Item: item } }));
      const RequestItems = { [service.table.name]: requests };
      await service.table.client.send(new BatchWriteCommand({ RequestItems }));
      for (const [nth, item] of batch.entries()) {
        const pathParameters = { id: 'j-1', candidate_id: `c-${at + nth}` };
        const { status, body } = await service.getApplication({ token, pathParameters });
        expect([status, misfit(schema ?? {}, body)], JSON.stringify(item)).toEqual([200, '']);
      }
      repaired += service.log.take().filter((line) => 'repaired_fields' in line).length;
    }
    expect(repaired).toBeGreaterThan(numRuns / 2);
  });
});
