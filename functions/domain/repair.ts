import { isObject, ownValue } from './own-value.ts';
import type { PickSchema } from './pick.ts';
import { timestampOf } from './timestamp.ts';
import { profileOf } from './web-address.ts';

/** Keyed by format. Each converts a text into the contract's form, or returns undefined if it cannot. */
const rewriters: Readonly<Record<string, (text: string) => string | undefined>> = {
  profile: profileOf,
  timestamp: timestampOf,
};

interface Repair {
  /** JSON Pointer (RFC 6901), without escapes: no described member needs one. */
  path: string;
  before: unknown;
  after: unknown;
}

/**
 * Mends a value that its validator has rejected, at any depth: profiles lose their scheme, instants get the contract's
 * format, and anything else invalid in a nullable member becomes `null`. Other faults stay.
 */
export function repair(
  schema: PickSchema,
  invalid: unknown,
  errors: readonly { instancePath: string }[] | null | undefined,
): { value: unknown; repaired: readonly Repair[] } {
  const broken = new Set(errors?.map(({ instancePath }) => instancePath));
  const repaired: Repair[] = [];
  const copy = (shape: PickSchema, value: unknown, path: string): unknown => {
    const { type, format = '', properties, items } = shape;
    if (broken.has(path)) {
      const rewritten = typeof value === 'string' ? rewriters[format]?.(value) : undefined;
      if (rewritten !== undefined || type?.includes('null')) {
        const after = rewritten ?? null;
        repaired.push({ path, before: value, after });
        return after;
      }
    }
    if (items && Array.isArray(value)) {
      return value.map((entry, at) => copy(items, entry, `${path}/${at}`));
    }
    if (properties && isObject(value)) {
      const members = Object.entries(properties).map(([name, member]) => [
        name,
        copy(member, ownValue(value, name), `${path}/${name}`),
      ]);
      return { ...value, ...Object.fromEntries(members) };
    }
    return value;
  };
  return { value: copy(schema, invalid, ''), repaired };
}
