/** A JSON object, not a list, set, map, date or bytes. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]';

/** Ignores inherited members: a stored attribute `__proto__` may have replaced the prototype. */
export const ownValue = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The filter removes nothing; it only narrows the type. */
export const keysOf = <T extends object>(object: T) =>
  Object.keys(object).filter((name): name is keyof T & string => name in object);
