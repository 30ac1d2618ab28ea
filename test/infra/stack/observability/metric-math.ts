/** The value of a period; undefined if it is missing. */
export type Value = number | undefined;
type Values = Readonly<Record<string, Value>>;

/** A part of an expression: a number that never changes, or a series. */
interface Part {
  isNumber: boolean;
  read: (values: Values) => Value;
}

const OPERATORS: Readonly<
  Record<string, [level: number, apply: (a: number, b: number) => number]>
> = {
  OR: [1, (a, b) => Number(a !== 0 || b !== 0)],
  AND: [2, (a, b) => Number(a !== 0 && b !== 0)],
  '>': [3, (a, b) => Number(a > b)],
  '>=': [3, (a, b) => Number(a >= b)],
  '<': [3, (a, b) => Number(a < b)],
  '<=': [3, (a, b) => Number(a <= b)],
  '==': [3, (a, b) => Number(a === b)],
  '+': [4, (a, b) => a + b],
  '*': [5, (a, b) => a * b],
  '/': [5, (a, b) => a / b],
};

/**
 * Reads an expression of CloudWatch's metric math, as much of it as the alarms use (Amazon CloudWatch User Guide,
 * "Using math expressions with CloudWatch metrics"): its value from those of the metrics in the same period, and
 * whether a missing value then repeats the one before it.
 * @throws Error if it uses more.
 */
export function metricMath(expression: string): { read: Part['read']; repeats: boolean } {
  const [, filled] = /^FILL\((.*), REPEAT\)$/.exec(expression) ?? [];
  const tokens = (filled ?? expression).match(/>=|<=|==|[\d.]+|\w+|[^\s\w]/g) ?? [];
  const take = (expected?: string) => {
    const token = tokens.shift();
    if (token === undefined || token !== (expected ?? token)) throw new Error(expression);
    return token;
  };
  const part = (): Part => {
    const token = take();
    if (token === '(') {
      const inner = operation(0);
      take(')');
      return inner;
    }
    if (/^[\d.]+$/.test(token)) return { isNumber: true, read: () => Number(token) };
    if (/^[a-z]\w*$/.test(token)) return { isNumber: false, read: (values) => values[token] };
    if (token !== 'IF') throw new Error(expression);
    const [condition, yes, no] = ['(', ',', ','].map((before) => {
      take(before);
      return operation(0);
    });
    take(')');
    // Without a condition there is no value. A missing value is 0 if the condition holds.
    const read = (values: Values) => {
      const it = condition?.read(values);
      return it === undefined ? it : it === 0 ? no?.read(values) : (yes?.read(values) ?? 0);
    };
    return { isNumber: false, read };
  };
  const operation = (level: number): Part => {
    let left = part();
    for (;;) {
      const [binds, apply] = OPERATORS[tokens[0] ?? ''] ?? [0, Math.max];
      if (binds <= level) return left;
      take();
      left = combined(apply, left, operation(binds));
    }
  };
  const { read } = operation(0);
  if (tokens.length > 0) throw new Error(expression);
  return { read, repeats: filled !== undefined };
}

/** Of two series of which one has a value, the other counts as 0. A division by 0 is dropped. */
function combined(apply: (a: number, b: number) => number, left: Part, right: Part): Part {
  const read = (values: Values) => {
    const a = left.read(values);
    const b = right.read(values);
    if ((left.isNumber || a === undefined) && (right.isNumber || b === undefined)) return undefined;
    const value = apply(a ?? 0, b ?? 0);
    return Number.isFinite(value) ? value : undefined;
  };
  return { isNumber: false, read };
}
