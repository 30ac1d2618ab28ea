import { readFileSync } from 'node:fs';
import type { SchemaObject } from 'ajv';
import { recordSchemas } from '../records/record-schema.ts';

/** Returns the source of the TypeScript interfaces for all records. */
export function recordDeclarations(): string {
  return Object.entries(recordSchemas)
    .map(([kind, schema]) => {
      const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}Record`;
      return `export interface ${name} ${typeOf(schema, '')}\n`;
    })
    .join('\n');
}

/** Returns the TypeScript type for a schema. */
function typeOf(
  { type, properties, required, items, enum: values, const: only }: SchemaObject,
  indent: string,
): string {
  if (only !== undefined) return JSON.stringify(only).replaceAll('"', "'");
  if (values)
    return values.map((value: unknown) => `'${value}'`.replace("'null'", 'null')).join(' | ');
  const types = [type].flat().map((name) => {
    if (name === 'array') return `readonly ${typeOf(items, indent)}[]`;
    if (name !== 'object') return name === 'integer' ? 'number' : name;
    const members = Object.entries<SchemaObject>(properties).map(([member, schema]) => {
      const isRequired = required.includes(member);
      const comment = schema.description ? `${indent}  /** ${schema.description} */\n` : '';
      const absent = isRequired ? '' : ' | undefined';
      return `${comment}${indent}  readonly ${member}${isRequired ? '' : '?'}: ${typeOf(schema, `${indent}  `)}${absent};\n`;
    });
    return `{\n${members.join('')}${indent}}`;
  });
  return types.join(' | ');
}

/** The package's type declarations, a single file that imports only types of the AWS SDK. */
export function packageDeclarations(): string {
  const sources = ['../records/interface.ts', './interface.ts']
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    .join('\n');
  const own = /^(\/\/ .*|import type [^;]* from '\..*';)\n/gm;
  return `${sources.replace(own, '')}
/** The error for a record that the writer refuses. It names members and rules, and contains no value. */
export declare class InvalidRecord extends Error {
  /** The first five invalid members of the record. */
  readonly faults: readonly Fault[];
}

/**
 * Returns a writer of live records. Each method makes one conditional write, which never overwrites newer data.
 * @throws TypeError that names the invalid settings.
 */
export declare function recordWriter(settings: WriterSettings): RecordWriter;

${recordDeclarations()}`;
}
