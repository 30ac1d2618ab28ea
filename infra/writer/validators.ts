import { Ajv, type Options } from 'ajv';
import { recordSchemas } from './record-schema.ts';
import type { ApplicationRecord, ErasureRecord, JobRecord, RemovalRecord } from './record-types.ts';
import { formats } from './storable.ts';

/** How Ajv compiles the schemas: strictly, without coercion and without default values. */
export const ajvOptions = {
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  formats,
  keywords: ['means'],
} satisfies Options;

// The package has standalone code in place of this module (package/build.ts).
const ajv = new Ajv(ajvOptions);

export const isJob = ajv.compile<JobRecord>(recordSchemas.job);
export const isApplication = ajv.compile<ApplicationRecord>(recordSchemas.application);
export const isRemoval = ajv.compile<RemovalRecord>(recordSchemas.removal);
export const isErasure = ajv.compile<ErasureRecord>(recordSchemas.erasure);
