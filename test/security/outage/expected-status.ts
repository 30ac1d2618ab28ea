import type { Fetch } from './setup.ts';

const LIFE_MS = 600_000;
const FLOOR_MS = 10_000;
const FIRST_PAUSE_MS = 250;

/** What a token is: signed by a key, and otherwise good; of a key, but expired; or no token. */
export interface Sent {
  kind: 'good' | 'expired' | 'malformed';
  /** The name of the key that signs it. */
  kid: string;
}

/**
 * Says from the fetches that the issuer has seen whether an answer is right. It knows no cache: an
 * answer of 200 needs a fetch that listed the key less than ten minutes ago; 401 one that did not
 * list it less than ten minutes ago, and a fetch less than ten seconds ago; 503 one that failed less
 * than ten seconds ago.
 */
export function mismatch(
  { kind, kid }: Sent,
  status: number,
  fetches: readonly Fetch[],
  now: number,
): string | undefined {
  if (kind === 'malformed') {
    return status === 401 ? undefined : `${status} for what is no token`;
  }
  const last = fetches.at(-1);
  const listing = fetches.findLast(({ kids }) => kids !== undefined);
  const age = now - (listing?.at ?? Number.NEGATIVE_INFINITY);
  const isKnown = age < LIFE_MS && listing?.kids?.includes(kid) === true;
  if (isKnown) {
    const right = kind === 'good' ? 200 : 401;
    return status === right ? undefined : `${status} for a token of a cached key: ${kind}`;
  }
  const failedAgo = last?.kids === undefined ? now - (last?.at ?? Number.NaN) : Number.NaN;
  if (status === 503) return failedAgo < FLOOR_MS ? undefined : '503 though nothing has failed';
  const askedAgo = now - (last?.at ?? Number.NEGATIVE_INFINITY);
  if (status === 401) {
    return age < LIFE_MS && askedAgo < FLOOR_MS ? undefined : '401 without having asked';
  }
  return `${status} for a token of an unknown key`;
}

/**
 * Those of these times that are less than the first pause after the last but one: only a fetch that failed
 * in the background may be followed by another at once.
 */
export const tooSoon = (times: readonly number[]): number[] =>
  times.filter((at, index) => at - (times[index - 2] ?? Number.NEGATIVE_INFINITY) < FIRST_PAUSE_MS);

/** How often the service answered in each of the ways that it may. */
export const noAnswers = () => ({ 'answered 200': 0, 'answered 401': 0, 'answered 503': 0 });

/** Counts an answer; of other statuses, none. */
export function countAnswer(counts: ReturnType<typeof noAnswers>, status: number): void {
  if (status === 200) counts['answered 200'] += 1;
  if (status === 401) counts['answered 401'] += 1;
  if (status === 503) counts['answered 503'] += 1;
}
