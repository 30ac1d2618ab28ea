export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ignores inherited members: a stored attribute `__proto__` may have replaced the prototype. */
export const ownValue = (object: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The filter removes nothing; it only narrows the type. */
export const keysOf = <T extends object>(object: T) =>
  Object.keys(object).filter((name): name is keyof T & string => name in object);
