import type { SchemaObject } from 'ajv';
import { recordSchemas, recordTypeOf } from '../data/records/record-schema.ts';

/** Text of infra/data/records/record-types.ts. */
export function recordDeclarations(): string {
  return Object.entries(recordSchemas)
    .map(([kind, schema]) => `export interface ${recordTypeOf(kind)} ${typeOf(schema, '')}\n`)
    .join('\n');
}

function typeOf(
  {
    type,
    properties,
    required,
    items,
    enum: values,
    const: only,
    additionalProperties: isOpen,
  }: SchemaObject,
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
      const { description = '' } = schema;
      // Descriptions this short, such as `Identifier of the job.`, only repeat the member's name.
      const isShort = description.split(' ').length <= 4;
      const comment = isShort ? '' : `${indent}  /** ${description} */\n`;
      const absent = isRequired ? '' : ' | undefined';
      return `${comment}${indent}  readonly ${member}${isRequired ? '' : '?'}: ${typeOf(schema, `${indent}  `)}${absent};\n`;
    });
    const others = isOpen
      ? `${indent}  /** Any JSON of your own. */\n${indent}  readonly [name: string]: unknown;\n`
      : '';
    return `{\n${members.join('')}${others}${indent}}`;
  });
  return types.join(' | ');
}
