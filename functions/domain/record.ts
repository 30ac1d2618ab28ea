/** Returns whether `value` is an object, but neither `null` nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value of an object's own member; undefined if the member is inherited, such as from a stored `__proto__`. */
export const ownValue = (record: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Returns the names of an object's members. The filter removes no name, but gives the names their type. */
export const namesOf = <T extends object>(record: T) =>
  Object.keys(record).filter((name): name is keyof T & string => name in record);

/** Returns the schema of an object whose members are all required. */
export const objectSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ type: 'object', properties, required: namesOf(properties) }) as const;
