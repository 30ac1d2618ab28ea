import { Ajv, type Options } from 'ajv';
import { recordSchemas } from './record-schema.ts';
import type { ApplicationRecord, ErasureRecord, JobRecord, RemovalRecord } from './record-types.ts';
import { recordFormats } from './storable.ts';

export const recordAjvOptions = {
  strict: true,
  allErrors: true,
  // Gives errors the value and the schema that it breaks (`data`, `parentSchema`).
  verbose: true,
  allowUnionTypes: true,
  formats: recordFormats,
  keywords: ['means', 'details'],
} satisfies Options;

// Compiled when this module is loaded; for the writer's package, at build time (infra/data/writer/build.ts).
const ajv = new Ajv(recordAjvOptions);

export const isJobRecord = ajv.compile<JobRecord>(recordSchemas.job);
export const isApplicationRecord = ajv.compile<ApplicationRecord>(recordSchemas.application);
export const isRemovalRecord = ajv.compile<RemovalRecord>(recordSchemas.removal);
export const isErasureRecord = ajv.compile<ErasureRecord>(recordSchemas.erasure);
