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
