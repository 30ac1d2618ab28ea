import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, inject } from 'vitest';
import { formats } from '../../functions/domain/formats.ts';
import { jobKey } from '../../functions/store/keys.ts';
import { type BusEvent, pipeOf } from './eventbridge.ts';
import type { Service } from './service.ts';
import { type RawRecord, readRecords } from './stream.ts';

// The published file, not the object that it is written from: subscribers have the file.
const published = JSON.parse(readFileSync('docs/job-status-changed.schema.json', 'utf8'));
const isPublished = new Ajv2020({ strict: true, formats }).compile(published);

const assembled = join(inject('assembly'), 'RecruitmentService-dev.template.json');

const { patterns, eventsFrom } = pipeOf(Template.fromString(readFileSync(assembled, 'utf8')));

/** What the pipe of the synthesized stack makes of the records of a stream. */
export function throughPipe(records: readonly object[]): BusEvent[] {
  for (const record of records) log(String(eventsFrom([record]).length > 0), record);
  return eventsFrom(records);
}

/** Writes what was judged to the file `EVENT_RULER_FILE`, for event-ruler/EventRuler.java beside the tests of the pipe. */
function log(label: string, value: object): void {
  const file = process.env.EVENT_RULER_FILE;
  if (file !== undefined) appendFileSync(file, `${label}\t${JSON.stringify(value)}\n`);
}
for (const pattern of patterns) log('pattern', pattern);

/** The records of a job and its applications in the stream of the service's table. */
export async function recordsOf(
  { table }: Pick<Service, 'table'>,
  job: string,
  tenant = 'default',
): Promise<RawRecord[]> {
  const { pk } = jobKey(tenant, job);
  const all = await readRecords(table.name);
  return all.filter(({ dynamodb }) => dynamodb.Keys.pk?.S === pk);
}

/** The details of the events of a job, each checked against the published schema. */
export async function eventsOf(
  service: Pick<Service, 'table'>,
  job: string,
  tenant?: string,
): Promise<Record<string, unknown>[]> {
  return throughPipe(await recordsOf(service, job, tenant)).map(detailOf);
}

function detailOf({ source, detailType, detail }: BusEvent): Record<string, unknown> {
  expect([source, detailType]).toEqual(['recruitment', 'job.status_changed']);
  expect(isPublished(detail), JSON.stringify(isPublished.errors)).toBe(true);
  expect(Object.keys(detail).toSorted()).toEqual(published.required.toSorted());
  return detail;
}
