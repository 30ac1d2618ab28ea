/** A period's value, or undefined if the value is missing. */
export type Value = number | undefined;
type Values = Readonly<Record<string, Value>>;

/** A part of an expression, which is either a constant or a series. */
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
 * Parses a metric math expression, as far as the alarms use metric math (Amazon CloudWatch User Guide, "Using math
 * expressions with CloudWatch metrics").
 * @returns a function that computes the expression's value from the metrics' values in a period, and whether a missing
 *   value repeats the previous value.
 * @throws Error if the expression uses anything else.
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
    // If the condition is missing, the result is missing. If the condition holds, a missing value counts as 0.
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

/** Applies an operator. If only one series has a value, the other counts as 0. A division by 0 has no value. */
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
