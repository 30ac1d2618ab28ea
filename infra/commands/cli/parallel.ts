/** The items in groups of `size`, in their order. */
export const groupsOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

/** Waits until all of the work has ended, even if some fails, and then throws the first failure. */
export async function allEnded(work: Iterable<Promise<unknown>>): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
