import { readFileSync } from 'node:fs';
import type { SchemaObject } from 'ajv';
import { recordSchemas } from '../record-schema.ts';

/** Returns the TypeScript interfaces of all records. */
export function recordDeclarations(): string {
  return Object.entries(recordSchemas)
    .map(([kind, schema]) => {
      const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}Record`;
      return `export interface ${name} ${typeOf(schema, '')}\n`;
    })
    .join('\n');
}

/** The TypeScript type of what a schema allows. */
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

/** Returns the declarations of the package: one file that imports only types of the AWS SDK. */
export function packageDeclarations(): string {
  const source = readFileSync(new URL('../interface.ts', import.meta.url), 'utf8');
  const own = /^import type [^;]* from '\.\/record-types\.ts';\n/m;
  return `${source.replace(own, '')}
/** Thrown for a record that cannot be stored. It names members and rules, and never holds a value. */
export declare class InvalidRecord extends Error {
  /** The first five invalid members. */
  readonly faults: readonly Fault[];
}

/**
 * Returns a writer of live records.
 * @throws TypeError that names the settings that are invalid.
 */
export declare function recordWriter(settings: WriterSettings): RecordWriter;

${recordDeclarations()}`;
}
