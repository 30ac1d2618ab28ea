/** This many digits always fit into a double. */
const ALWAYS_EXACT = 15;

/** Whether JavaScript would print the same digits. */
export const isExact = (literal: string, value: number): boolean =>
  (literal.length <= ALWAYS_EXACT && !/e/i.test(literal)) ||
  decimalOf(literal) === decimalOf(String(value));

/** `85e1` for `8.50`, `8.5` and `0.85e1`: the digits without zeros at the ends, then the position of the point. */
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
