import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  type JobStatusChanged,
  jobStatusChanged,
} from '../../../functions/contract/job-status-changed.ts';
import { isTimestamp } from '../../../functions/domain/timestamp.ts';
import { jobStatusChangedDocument } from '../../../infra/documents/schemas.ts';
import { misfit, parsed } from '../../support/openapi-document.ts';

const document = jobStatusChangedDocument();
const isEvent = new Ajv2020({ formats: { 'date-time': isTimestamp } }).compile<JobStatusChanged>(
  document,
);
const { example } = jobStatusChanged;

describe('the schema of the event', () => {
  it('allows members and statuses that are not known yet', () => {
    expect(isEvent({ ...example, from: 'deleted', to: 'reopened', reason: 'filled' })).toBe(true);
  });

  it.each([
    [{ id: '' }],
    [{ occurred_at: '2026-02-30T09:26:53.000Z' }],
    [{ job_id: 'x'.repeat(257) }],
    [{ to: null }],
    [{ sequence: 4 }],
    [{ sequence: '04' }],
    [{ sequence: undefined }],
  ])('rejects %j', (members) => {
    expect(isEvent(JSON.parse(JSON.stringify({ ...example, ...members })))).toBe(false);
  });
});

describe('the webhook of the OpenAPI document', () => {
  const { post } = parsed.webhooks['job-status-changed'];

  it('is a POST of the event, whose example fits', () => {
    const { schema, example: documented } = post.requestBody.content['application/json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/JobStatusChanged' });
    expect(misfit(schema, documented)).toBe('');
  });
});
