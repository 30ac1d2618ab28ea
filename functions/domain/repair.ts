import { isObject, ownValue } from './own-value.ts';
import type { PickSchema } from './pick.ts';
import { profileOf } from './web-address.ts';

/**
 * For a value that its validator has rejected: what breaks the rule of a nullable member becomes `null`, at any depth,
 * except that a profile only loses its scheme. Other faults stay.
 * @returns also the JSON Pointers of the replaced members.
 */
export function repair(
  schema: PickSchema,
  invalid: unknown,
  errors: readonly { instancePath: string }[] | null | undefined,
): { value: unknown; repaired: readonly string[] } {
  const broken = new Set(errors?.map(({ instancePath }) => instancePath));
  const repaired: string[] = [];
  const copy = (shape: PickSchema, value: unknown, path: string): unknown => {
    const { type, format, properties, items } = shape;
    if (broken.has(path) && type?.includes('null')) {
      repaired.push(path);
      return (format === 'profile' && typeof value === 'string' && profileOf(value)) || null;
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
