import { Application } from '../../../functions/domain/application.ts';
import { Identifier } from '../../../functions/domain/identifier.ts';
import { JobStatus } from '../../../functions/domain/job.ts';
import { LAST_SECOND } from '../../../functions/domain/timestamp.ts';
import { numberFormat, textFormat } from './storable.ts';

/** The keywords of JSON Schema that the derivation reads; it keeps all others as they are. */
type Schema = Readonly<{
  type?: string | readonly string[];
  format?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean;
  const?: string;
  minimum?: number;
  maximum?: number;
}>;

/** A line that stores a job. */
export const JobRecord = objectOf(
  { type: { const: 'job' }, tenant: Identifier, id: Identifier, status: JobStatus },
  ['type', 'id', 'status'],
);

const application = recordSchema(Application);

/** A line that stores an application: the members of the contract, of which fewer are required. */
export const ApplicationRecord = objectOf(
  {
    type: { const: 'application' },
    tenant: Identifier,
    job_id: Identifier,
    ...application.properties,
    user_id: Identifier,
    // A time given in milliseconds, the likely mistake, is after the last second.
    expires_at: { type: ['integer', 'null'], minimum: 0, maximum: LAST_SECOND },
  },
  ['type', 'job_id', ...(application.required ?? [])],
);

/**
 * Derives the schema of what may be imported from a schema of the contract, in which every member is
 * present: a member that may be null may also be left out, and so may a list, which may be null too. An
 * unknown member is refused at any depth. DynamoDB must be able to store the text and the numbers.
 */
export function recordSchema(schema: Schema): Schema {
  const { properties, items } = schema;
  const type = typesOf(schema);
  if (properties) {
    const entries = Object.entries(properties).map(([name, value]) => [name, recordSchema(value)]);
    const required = schema.required?.filter((name) => isMandatory(properties[name]));
    return { ...schema, ...objectOf(Object.fromEntries(entries), required) };
  }
  if (items) return { ...schema, type: [...type, 'null'], items: recordSchema(items) };
  if (type.includes('number')) return { ...schema, format: numberFormat };
  if (type.includes('string') && !schema.format) return { ...schema, format: textFormat };
  return schema;
}

function objectOf(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return [type].flat();
}

function isMandatory(schema: Schema = {}): boolean {
  return !typesOf(schema).some((type) => type === 'null' || type === 'array');
}
