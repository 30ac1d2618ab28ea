import { isObject } from './own-value.ts';

// Elements of `education`, `experience` and `evaluations` may have members that the contract does not describe: the
// platform may store any JSON, within the limits below. Imports and live writes refuse what exceeds them; responses
// leave it out and count it.

/** Per list. An item could hold 98,000 empty objects, but Lambda could not return them all. */
export const MAX_ELEMENTS = 500;

/** How deep lists and objects may nest in one of the platform's members. */
export const MAX_NESTING = 10;

/**
 * The SDK loses `__proto__`, and mistakes an object with a member `constructor` for another type. Generated Go and Java
 * clients cannot read an application with a member `additionalProperties`.
 */
export const REFUSED_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'additionalProperties',
];

/** Also refuses names that differ from a described one only in case: Go takes `Score` for `score`. */
export function isRefusedName(name: string, described: readonly string[]): boolean {
  if (REFUSED_NAMES.includes(name)) return true;
  const folded = foldCase(name);
  return described.some((one) => foldCase(one) === folded);
}

/** Folds `ſ` and the Kelvin sign too, as Go does. */
const foldCase = (name: string) => name.toUpperCase().toLowerCase();

/** Digits of a stored number that a double cannot hold. The class tells them apart from a string. */
export class LongNumber extends String {}

/**
 * Copies the members that the contract does not describe. Values that are not JSON or are nested too deep become null.
 * Members with refused names are dropped.
 * @param described `properties` of the object's schema.
 * @param onLoss called for each lost value.
 */
export function platformMembers(
  object: Readonly<Record<string, unknown>>,
  described: object,
  onLoss: () => void,
  levels = MAX_NESTING,
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(described, name)) continue;
    if (isRefusedName(name, Object.keys(described))) onLoss();
    else members[name] = platformJson(object[name], onLoss, levels);
  }
  return members;
}

function platformJson(value: unknown, onLoss: () => void, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels > 0 && Array.isArray(value)) {
    return value.map((entry) => platformJson(entry, onLoss, levels - 1));
  }
  if (levels > 0 && isObject(value)) return platformMembers(value, {}, onLoss, levels - 1);
  onLoss();
  return null;
}
