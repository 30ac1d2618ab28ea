import { isObject, ownValue } from './own-value.ts';
import { LongNumber, MAX_ELEMENTS, platformMembers } from './platform-json.ts';

export interface PickSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, PickSchema>>;
  readonly items?: PickSchema;
  /** Whether the platform may add members of its own. */
  readonly additionalProperties?: boolean;
}

/**
 * Copies the members that the schema describes, in its order, then the platform's own if the schema is open. Drops
 * elements that are not objects, and those beyond `MAX_ELEMENTS`.
 * @param onLoss called for each value that is dropped, or becomes null because it is not JSON.
 */
export function pick(shape: PickSchema, stored: unknown, onLoss: () => void): unknown {
  if (stored === undefined || stored === null) return shape.type === 'array' ? [] : null;
  const { properties, items, additionalProperties: isOpen } = shape;
  if (items && Array.isArray(stored)) {
    const elements = stored.filter(isObject).slice(0, MAX_ELEMENTS);
    for (let lost = stored.length - elements.length; lost > 0; lost -= 1) onLoss();
    return elements.map((element) => pick(items, element, onLoss));
  }
  if (properties && isObject(stored)) {
    const part: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(properties)) {
      part[name] = pick(member, ownValue(stored, name), onLoss);
    }
    return isOpen ? Object.assign(part, platformMembers(stored, properties, onLoss)) : part;
  }
  return stored instanceof LongNumber ? Number(stored) : stored;
}
