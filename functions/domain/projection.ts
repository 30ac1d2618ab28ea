import { isRecord, ownValue } from './record.ts';

/** The keywords of a JSON Schema that `project` reads. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/**
 * Returns the members of a stored value that a schema names, in the schema's order. A missing member becomes `null`,
 * and a missing list becomes `[]`.
 */
export function project(shape: Shape, stored: unknown): unknown {
  if (stored === undefined || stored === null) return shape.type === 'array' ? [] : null;
  const { properties, items } = shape;
  if (items && Array.isArray(stored)) return stored.map((entry) => project(items, entry));
  if (properties && isRecord(stored)) {
    const part: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(properties)) {
      part[name] = project(member, ownValue(stored, name));
    }
    return part;
  }
  return stored;
}
