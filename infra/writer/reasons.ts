import type { ErrorObject } from 'ajv/dist/2020.js';

const LONGEST_NAME = 64;

/**
 * Says why a record is refused: the JSON Pointer (RFC 6901) of each invalid member, and what is expected
 * there. It shows the names of members but never a value, which may be personal data.
 */
export function reasonOf(errors: readonly ErrorObject[]): string {
  // One reason for each member: the last is the most specific, because the type is checked first.
  return [...new Map(errors.map(explain))].map((reason) => reason.join(' ')).join('; ');
}

function explain(error: ErrorObject): [pointer: string, expected: string] {
  const { keyword, instancePath, params } = error;
  if (keyword === 'required') {
    return [`${instancePath}/${token(params.missingProperty)}`, 'is required'];
  }
  if (keyword === 'additionalProperties') {
    return [`${instancePath}/${token(params.additionalProperty)}`, 'is not a known member'];
  }
  return [instancePath, `must be ${expected(error)}`];
}

function expected({ keyword, params, parentSchema, message = '' }: ErrorObject): string {
  const { means, format, instant } = parentSchema ?? {};
  // What a format means is of strings or numbers; other rules say what the member is as a whole.
  if (keyword === 'type' && (!means || (format && !instant)))
    return [params.type].flat().join(' or ');
  if (keyword === 'enum') return `one of ${params.allowedValues.map(String).join(', ')}`;
  return means ?? message.replace(/^must be /, '');
}

/** A name as a token of a JSON Pointer, short and safe to print on a terminal. */
function token(name: string): string {
  const printable = name
    .slice(0, LONGEST_NAME)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(/[\p{C}\p{Z}]/gu, (character) => encodeURIComponent(character.toWellFormed()));
  return name.length > LONGEST_NAME ? `${printable}…` : printable;
}
