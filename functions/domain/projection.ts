import { isObject, ownValue } from './object.ts';

interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/**
 * Copies exactly the members that the schema lists, in its order. What is missing becomes `null`, or `[]` for an array.
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
