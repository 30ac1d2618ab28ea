/** Stands in for a number that JavaScript would round: all rules for numbers refuse it. */
const ROUNDED = Number.MAX_VALUE;

/**
 * A number of at least 16 digits, counting the point, or with an exponent of three digits, which may give 0 or
 * infinity.
 */
const MAY_BE_ROUNDED = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE][-+]?\d{3})/;

export function parseExactly(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, markRounded) : JSON.parse(text);
}

function markRounded(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  // DynamoDB gets `String(value)`, the shortest digits that JavaScript reads as the same number.
  return decimalOf(context.source) === decimalOf(String(value)) ? value : ROUNDED;
}

/** `85e1` for `8.50`, `8.5` and `0.85e1`: the digits without zeros at the ends, and where the point is. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  if (start === -1) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(start, end)}e${Number(exponent) + whole.length - start}`;
}
