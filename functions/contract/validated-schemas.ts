import { Application } from '../domain/application.ts';
import { formats } from '../domain/formats.ts';
import { Job } from '../domain/job.ts';
import { objectSchema } from '../domain/record.ts';
import { getApplication } from './get-application.ts';
import { updateJobStatus } from './update-job-status.ts';

/** How Ajv compiles the schemas: strictly, without coercion and without default values. */
export const ajvOptions = { strict: true, allowUnionTypes: true, formats };

/**
 * The schemas that are compiled to standalone code at build time, by the names under which `#validators`
 * exports the results: what the database stores, and per operation an invocation's path parameters and its
 * parsed body.
 */
export const validatedSchemas = {
  isApplication: Application,
  isJob: Job,
  isGetApplicationPath: objectSchema({ pathParameters: getApplication.parameters }),
  isUpdateJobStatusPath: objectSchema({ pathParameters: updateJobStatus.parameters }),
  isUpdateJobStatusBody: objectSchema({ body: updateJobStatus.body.schema }),
} as const;
