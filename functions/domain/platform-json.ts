import { isObject } from './own-value.ts';

// What an element of `education`, `experience` and `evaluations` may hold beside the members that the contract describes:
// any JSON of the platform, within the limits below. The way in refuses the rest. The way out leaves it out, and counts it.

/** In a list. DynamoDB stores 98,000 empty ones in an item, for a response that Lambda cannot return. */
export const MAX_ELEMENTS = 500;

/** Lists and objects within each other, in one member of the platform. */
export const MAX_NESTING = 10;

/**
 * The SDK loses `__proto__`, and takes a value with `constructor` for one of another type. With `additionalProperties`,
 * generated clients in Go and Java cannot read the application.
 */
export const REFUSED_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'additionalProperties',
];

/** Whether a member's name is refused, or differs only in case from a described one: Go takes `Score` for `score`. */
export function isRefusedName(name: string, described: readonly string[]): boolean {
  if (REFUSED_NAMES.includes(name)) return true;
  const folded = foldCase(name);
  return described.some((one) => foldCase(one) === folded);
}

/** Like Go, also folds `ſ` and the Kelvin sign. */
const foldCase = (name: string) => name.toUpperCase().toLowerCase();

/** A stored number that a double cannot hold, as its digits. A class of its own, to tell it from a text. */
export class LongNumber extends String {}

/**
 * The members of a stored object that the contract does not describe (`properties` of a schema), as JSON. What is not JSON or is nested too deep
 * becomes null, and what has a refused name is left out.
 * @param onLoss called for each value that is lost.
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
