/** The maximum number of DynamoDB requests that a command sends at once. The SDK opens up to 50 connections. */
export const MAX_REQUESTS = 40;

/** Runs some pieces of work at once, `MAX_REQUESTS` by default. After a failure, no more work begins. */
export class ConcurrencyLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #most: number;
  readonly #underWay = new Set<Promise<void>>();
  #failure: { reason: unknown } | undefined;

  /** @param signal after which no more work begins. */
  constructor(signal?: AbortSignal, most = MAX_REQUESTS) {
    this.#signal = signal;
    this.#most = most;
  }

  /**
   * Begins work as soon as there is room for it.
   * @throws the error of earlier work, or the signal's reason.
   */
  async begin(work: () => Promise<unknown>): Promise<void> {
    while (this.#underWay.size >= this.#most) await Promise.race(this.#underWay);
    if (this.#failure) throw this.#failure.reason;
    this.#signal?.throwIfAborted();
    const ended = work()
      .catch((reason) => {
        this.#failure ??= { reason };
      })
      .then(() => {
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
