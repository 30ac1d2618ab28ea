/** Returns whether `value` is an object. Arrays and `null` do not count as objects. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the value of an object's own member; undefined if the object has no such member. Ignores inherited members,
 * because a stored attribute `__proto__` may have replaced the object's prototype.
 */
export const ownValue = (object: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Returns the names of an object's members. The filter removes no name. The only purpose of the filter is the type of
 * the result.
 */
export const namesOf = <T extends object>(object: T) =>
  Object.keys(object).filter((name): name is keyof T & string => name in object);

/** Returns the schema of an object whose members are all required. */
export const objectSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ type: 'object', properties, required: namesOf(properties) }) as const;
