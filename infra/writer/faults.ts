import type { ErrorObject, SchemaObject } from 'ajv';
import type { Fault } from './interface.ts';
import { instant } from './storable.ts';

const LONGEST_NAME = 64;
/** The most faults that are listed of a record. */
const MOST_FAULTS = 5;

/** Why a record is not stored: its first faults, and how many more there are. */
export interface Refusal {
  readonly faults: readonly Fault[];
  readonly more: number;
}

export const refusalOf = (member: string, rule: string): Refusal => ({
  faults: [{ member, rule }],
  more: 0,
});

/** Says in one line why a record is refused. */
export function reasonOf({ faults, more }: Refusal): string {
  const reasons = faults.map(({ member, rule }) => (member ? `${member} ${rule}` : rule));
  return [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** Returns the faults that the validator of a schema has found, one for each member. */
export function faultsOf(schema: SchemaObject, errors: readonly ErrorObject[]): Refusal {
  const rules = new Map<string, string>();
  let more = 0;
  let last = '';
  for (const error of errors) {
    const member = pointerTo(error);
    // The last rule of a member is the most specific, because the type is checked first.
    if (rules.has(member) || rules.size < MOST_FAULTS) rules.set(member, ruleOf(schema, error));
    else if (member !== last) more += 1;
    last = member;
  }
  return { faults: Array.from(rules, ([member, rule]) => ({ member, rule })), more };
}

function pointerTo({ keyword, instancePath, params }: ErrorObject): string {
  const name: unknown = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return typeof name === 'string' ? `${instancePath}/${token(name)}` : instancePath;
}

function ruleOf(schema: SchemaObject, { keyword, params, schemaPath, message = '' }: ErrorObject) {
  const { means, format, type } = parentSchema(schema, schemaPath);
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not a known member';
  if (keyword === 'enum') return `must be one of ${params.allowedValues.map(String).join(', ')}`;
  // The rule of a time says its type too.
  const saysType = format === instant.format || [type].flat().includes('integer');
  if (keyword === 'type' && !saysType) return `must be ${[params.type].flat().join(' or ')}`;
  return means ? `must be ${means}` : message;
}

/** The part of a schema that has the keyword to which a path such as `#/properties/id/format` leads. */
const parentSchema = (schema: SchemaObject, path: string): SchemaObject =>
  path
    .split('/')
    .slice(1, -1)
    .reduce((part, step) => part[step], schema);

/** A name as a token of a JSON Pointer, short and safe to print on a terminal. */
function token(name: string): string {
  const printable = name
    .slice(0, LONGEST_NAME)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
      encodeURIComponent(character.toWellFormed()),
    );
  return name.length > LONGEST_NAME ? `${printable}…` : printable;
}
