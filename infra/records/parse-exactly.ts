import { isExact } from '../../functions/domain/decimal.ts';

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
  return isExact(context.source, value) ? value : ROUNDED;
}
