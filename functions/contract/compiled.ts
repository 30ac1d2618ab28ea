import { Application } from '../domain/application.ts';
import { formats } from '../domain/formats.ts';
import { Job } from '../domain/job.ts';
import { ApplicationPath } from './get-application.ts';
import { JobPath, JobStatusUpdate } from './update-job-status.ts';

/** How Ajv compiles the schemas: strictly; nothing is coerced and nothing is defaulted. */
export const ajvOptions = { strict: true, allowUnionTypes: true, formats };

/** An invocation whose path parameters have the shape `schema`. */
const withPath = <const S>(schema: S) => ({
  type: 'object',
  properties: { pathParameters: schema },
  required: ['pathParameters'],
});

/** An invocation whose parsed body has the shape `schema`. */
const withBody = <const S>(schema: S) => ({
  type: 'object',
  properties: { body: schema },
  required: ['body'],
});

/**
 * The schemas that are compiled to standalone code at build time, by the name under which
 * `#validators/<name>` imports the result; `validators.d.ts` has their types.
 */
export const compiled = {
  application: Application,
  job: Job,
  'application-path': withPath(ApplicationPath),
  'job-path': withPath(JobPath),
  'job-status-update': withBody(JobStatusUpdate),
};
