import { JobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import { JobStatusUpdate, JobStatusUpdated } from '../../functions/contract/update-job-status.ts';
import {
  Application,
  Education,
  Evaluation,
  Experience,
} from '../../functions/domain/application.ts';
import { JobStatus } from '../../functions/domain/job.ts';
import { PartialDate } from '../../functions/domain/timestamp.ts';
import { ProblemDocument } from './problems.ts';

/** The body of a response of API Gateway itself, which the service never sees. */
export const GatewayMessage = {
  type: 'object',
  description: 'A response of API Gateway itself.',
  properties: { message: { type: 'string', description: 'What happened.' } },
  required: ['message'],
} as const;

/** The schemas that have a name in the document. */
const named = {
  Application,
  Education,
  Experience,
  Evaluation,
  PartialDate,
  JobStatus,
  JobStatusUpdate,
  JobStatusUpdated,
  JobStatusChanged,
  Problem: ProblemDocument,
  GatewayMessage,
};

const names = new Map<unknown, string>(
  Object.entries(named).map(([name, schema]) => [schema, name]),
);

/** The Components Object's `schemas` (OpenAPI 3.1.0, section 4.8.7). */
export function componentSchemas(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, copy(schema)]));
}

/**
 * `schema` as the document has it: with a reference in place of each named schema, so that the
 * document, like the source, writes it once.
 */
export function referring(schema: unknown): unknown {
  const name = names.get(schema);
  return name === undefined ? copy(schema) : { $ref: `#/components/schemas/${name}` };
}

function copy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(referring);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referring(value)]));
}
