import { isObject, ownValue } from './own-value.ts';

export interface PickSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, PickSchema>>;
  readonly items?: PickSchema;
}

/** Copies only the members that the schema lists, in its order. */
export function pick(shape: PickSchema, stored: unknown): unknown {
  if (stored === undefined || stored === null) return shape.type === 'array' ? [] : null;
  const { properties, items } = shape;
  if (items && Array.isArray(stored)) return stored.map((entry) => pick(items, entry));
  if (properties && isObject(stored)) {
    const part: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(properties)) {
      part[name] = pick(member, ownValue(stored, name));
    }
    return part;
  }
  return stored;
}
