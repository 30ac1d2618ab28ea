/** The maximum number of DynamoDB requests that a command sends at once. The SDK opens up to 50 connections. */
export const MAX_REQUESTS = 40;

/**
 * A limit for work that runs at once. If there is no room for more work, it waits until all earlier work has ended. An
 * import that reads and writes in turns needs less CPU time than an import that reads a little after each response.
 * After a failure, no more work begins.
 */
export class ConcurrencyLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #share = 0;
  #failure: { reason: unknown } | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Begins work, after a wait if the limit has no room for it.
   * @param share the number of requests that the work counts as, up to `MAX_REQUESTS`.
   * @throws the error of earlier work, or the signal's reason.
   */
  async begin(work: () => Promise<unknown>, share = 1): Promise<void> {
    while (this.#underWay.size > 0 && this.#share + share > MAX_REQUESTS) {
      await Promise.all(this.#underWay);
    }
    if (this.#failure) throw this.#failure.reason;
    this.#signal?.throwIfAborted();
    this.#share += share;
    const ended = work()
      .catch((reason) => {
        this.#failure ??= { reason };
      })
      .then(() => {
        this.#share -= share;
        this.#underWay.delete(ended);
      });
    this.#underWay.add(ended);
  }

  /** Waits until all work has ended. @throws the first error of the work. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure) throw this.#failure.reason;
  }
}
