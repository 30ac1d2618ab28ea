/**
 * A generator of numbers from 0 to below 1, the same ones for the same seed on every machine
 * (mulberry32, by Tommy Ettinger): 32 bits of state are enough to place things, not to keep secrets.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Puts the values into an order of chance, in place (Fisher and Yates). */
export function shuffle(values: Float64Array, random: () => number): void {
  for (let left = values.length - 1; left > 0; left -= 1) {
    const chosen = Math.floor(random() * (left + 1));
    const value = values[left] ?? 0;
    values[left] = values[chosen] ?? 0;
    values[chosen] = value;
  }
}
