import { Ajv, type Options } from 'ajv';
import { recordSchemas } from './record-schema.ts';
import type { ApplicationRecord, ErasureRecord, JobRecord, RemovalRecord } from './record-types.ts';
import { recordFormats } from './storable.ts';

/** Ajv's options: strict schemas, no coercion and no default values. */
export const ajvOptions = {
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  formats: recordFormats,
  keywords: ['means'],
} satisfies Options;

// This module compiles the validators when it is loaded. In the writer's npm package, validators that were compiled at
// build time replace this module (see writer/build.ts).
const ajv = new Ajv(ajvOptions);

export const isJob = ajv.compile<JobRecord>(recordSchemas.job);
export const isApplication = ajv.compile<ApplicationRecord>(recordSchemas.application);
export const isRemoval = ajv.compile<RemovalRecord>(recordSchemas.removal);
export const isErasure = ajv.compile<ErasureRecord>(recordSchemas.erasure);
