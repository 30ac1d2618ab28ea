import { isObject, ownValue } from './object.ts';

/** The keywords that `project` reads in a JSON Schema. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/**
 * Returns a copy of `stored` with exactly the members that the schema `shape` lists, in the schema's order. If `stored`
 * lacks a member, the copy has `null` for this member, or `[]` if the member is an array.
 */
export function project(shape: Shape, stored: unknown): unknown {
  if (stored === undefined || stored === null) return shape.type === 'array' ? [] : null;
  const { properties, items } = shape;
  if (items && Array.isArray(stored)) return stored.map((entry) => project(items, entry));
  if (properties && isObject(stored)) {
    const part: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(properties)) {
      part[name] = project(member, ownValue(stored, name));
    }
    return part;
  }
  return stored;
}
