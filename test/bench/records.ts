/** A record with a value for each of these names. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  const record = Object.fromEntries(names.map((name) => [name, make(name)]));
  return record as Record<Name, Value>;
}

/** The same, where the values take time: one after the other. */
export async function recordInTurn<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Promise<Value>,
): Promise<Record<Name, Value>> {
  const values = new Map<Name, Value>();
  for (const name of names) values.set(name, await make(name));
  return Object.fromEntries(values) as Record<Name, Value>;
}
