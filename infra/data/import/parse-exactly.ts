import { isExact } from '../../../functions/domain/decimal.ts';

/** Stands in for a number that JavaScript would round: all rules for numbers refuse it. */
const ROUNDED = Number.MAX_VALUE;

/** At least 16 digits (the point counts), or a three-digit exponent, which may give 0 or infinity. */
const MAY_BE_ROUNDED = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE][-+]?\d{3})/;

export function parseExactly(text: string): unknown {
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, markRounded) : JSON.parse(text);
}

function markRounded(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  // DynamoDB gets `String(value)`, the shortest digits that JavaScript reads as the same number.
  return isExact(context.source, value) ? value : ROUNDED;
}

/** Matches the strings in JSON, and captures the colon after a member's name. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** Whether an object in the text has a name twice: `JSON.parse` keeps only the last. */
export function hasRepeatedName(text: string, parsed: unknown): boolean {
  let names = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon !== undefined) names += 1;
  return names !== countNames(parsed);
}

/** Does not recurse: a line may nest a million arrays. */
function countNames(parsed: unknown): number {
  let names = 0;
  const left = [parsed];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    if (!Array.isArray(value)) names += members.length;
    for (const member of members) left.push(member);
  }
  return names;
}
