import type { ErrorObject } from 'ajv';
import type { Fault } from './published-types.ts';
import { addressFault, instant, urlFormat } from './storable.ts';

const MAX_NAME_LENGTH = 64;
export const MAX_FAULTS = 5;

export interface Refusal {
  readonly faults: readonly Fault[];
  readonly more: number;
}

export const refusalOf = (member: string, rule: string): Refusal => ({
  faults: [{ member, rule }],
  more: 0,
});

export function reasonOf({ faults, more }: Refusal): string {
  const reasons = faults.map(({ member, rule }) => (member ? `${member} ${rule}` : rule));
  return [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param errors from a validator compiled with `verbose`. */
export function refusalOfErrors(errors: readonly ErrorObject[]): Refusal {
  const rules = new Map<string, string>();
  let more = 0;
  let last = '';
  for (const error of errors) {
    const member = pointerTo(error);
    // Ajv checks the type first, so a member's last error is the most specific.
    if (rules.has(member) || rules.size < MAX_FAULTS) rules.set(member, ruleOf(error));
    else if (member !== last) more += 1;
    last = member;
  }
  return { faults: Array.from(rules, ([member, rule]) => ({ member, rule })), more };
}

/** Merges both, and keeps the first five faults. */
export const joined = (first: readonly Fault[], { faults, more }: Refusal): Refusal => {
  const all = [...first, ...faults];
  return { faults: all.slice(0, MAX_FAULTS), more: more + Math.max(0, all.length - MAX_FAULTS) };
};

function pointerTo({ keyword, instancePath, params }: ErrorObject): string {
  const name: unknown = keyword === 'required' ? params.missingProperty : params.additionalProperty;
  return typeof name === 'string' ? `${instancePath}/${token(name)}` : instancePath;
}

function ruleOf({ keyword, params, data, parentSchema = {}, message = '' }: ErrorObject) {
  const { means, format, type } = parentSchema;
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not a known member';
  if (keyword === 'enum') return `must be one of ${params.allowedValues.map(String).join(', ')}`;
  // For times and integers, `means` already names the type.
  const saysType = format === instant.format || [type].flat().includes('integer');
  if (keyword === 'type' && !saysType) return `must be ${[params.type].flat().join(' or ')}`;
  if (format === urlFormat.format) return `must be ${means}: ${addressFault(String(data))}`;
  return means ? `must be ${means}` : message;
}

/** Escapes a name for a JSON Pointer (RFC 6901). The result is short, and safe to print on a terminal. */
function token(name: string): string {
  const printable = name
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
      encodeURIComponent(character.toWellFormed()),
    );
  return name.length > MAX_NAME_LENGTH ? `${printable}…` : printable;
}
