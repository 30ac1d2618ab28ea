/** A value as DynamoDB writes it: an object whose one member is named by the type. */
type Attribute = Record<string, unknown>;

const entriesOf = (value: unknown): [string, Attribute][] => Object.entries(Object(value));

/** The attributes of an item as plain values. */
export const plain = (item: unknown): Record<string, unknown> =>
  Object.fromEntries(entriesOf(item).map(([name, attribute]) => [name, valueIn(attribute)]));

function valueIn({ S, N, BOOL, L, M }: Attribute): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (BOOL !== undefined) return BOOL;
  if (Array.isArray(L)) return L.map(valueIn);
  return M === undefined ? null : plain(M);
}
