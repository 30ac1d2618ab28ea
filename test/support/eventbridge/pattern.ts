type Members = Readonly<Record<string, unknown>>;

/**
 * Whether an event matches an event pattern, by the part of EventBridge's language that its pages
 * "Comparison operators for use in event patterns" and "Event filtering in Amazon EventBridge Pipes"
 * give to pipes and that is needed here.
 * @throws Error where the pattern uses what is not in that part.
 */
export function matches(pattern: unknown, event: unknown): boolean {
  return Object.entries(membersOf(pattern)).every(([name, expected]) => {
    if (name === '$or') return listOf(expected).some((each) => matches(each, event));
    const value = membersOf(event)[name];
    if (Array.isArray(expected)) return expected.some((one) => isMet(one, value));
    if (!isObject(expected))
      throw new Error(`${name} of a pattern is neither a list nor an object.`);
    return matches(expected, value);
  });
}

/** Whether a value of the event meets one of the alternatives at the leaf of a pattern. */
function isMet(expected: unknown, value: unknown): boolean {
  if (!isObject(expected)) return listOf(value).some((each) => each === expected);
  const [[operator, operand] = ['none', undefined], ...others] = Object.entries(expected);
  if (others.length > 0) throw new Error('A comparison has one operator.');
  switch (operator) {
    case 'exists':
      // It is about leaves: an object in the place is none.
      return (value !== undefined && !isObject(value)) === operand;
    case 'anything-but':
      return isLeaf(value) && listOf(value).some((each) => !listOf(operand).includes(each));
    case 'prefix':
      return typeof value === 'string' && value.startsWith(String(operand));
    case 'numeric':
      return typeof value === 'number' && isWithin(value, listOf(operand));
    default:
      throw new Error(`The operator ${operator} is not known here.`);
  }
}

const comparisons: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '=': (value, limit) => value === limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

/** `[">", 0, "<=", 5]` */
function isWithin(value: number, [sign, limit, ...rest]: readonly unknown[]): boolean {
  if (sign === undefined) return true;
  const isMetBy = comparisons[String(sign)];
  if (isMetBy === undefined) throw new Error(`The comparison ${sign} is not known here.`);
  return isMetBy(value, Number(limit)) && isWithin(value, rest);
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLeaf = (value: unknown) => value !== undefined && !isObject(value);
const membersOf = (value: unknown): Members => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
