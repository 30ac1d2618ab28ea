/** Below the SDK's limit of 50 connections. */
export const MAX_REQUESTS = 40;

/**
 * Does not begin more work after a failure, or once `signal` aborts.
 * @throws an error from `work`, or the signal's reason, once all work has ended.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  function* queueOf() {
    for (const item of items) {
      signal?.throwIfAborted();
      yield item;
    }
  }
  const queue = queueOf();
  // An error closes the shared generator, which stops all workers.
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  const ends = await Promise.allSettled(Array.from({ length: MAX_REQUESTS }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
