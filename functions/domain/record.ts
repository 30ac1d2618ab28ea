/** Whether `value` is an object, and neither null nor an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a member of the object itself, not of one that it inherits, as from a stored `__proto__`. */
export const ownValue = (record: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The names of the members of an object. The filter is always true: it types them. */
export const namesOf = <T extends object>(record: T) =>
  Object.keys(record).filter((name): name is keyof T & string => name in record);

/** The schema of an object with all of its members required. */
export const objectSchema = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({ type: 'object', properties, required: namesOf(properties) }) as const;
