/** The maximum number of DynamoDB requests that a command sends at once. The SDK opens up to 50 connections. */
export const MAX_REQUESTS = 40;

interface LimitOptions {
  /** After this signal, no more work begins. */
  signal?: AbortSignal | undefined;
  /** Whether work for which there is no room begins only after all earlier work has ended. */
  waitsForAll?: boolean;
}

/** A limit for work that runs at once. After a failure, no more work begins. */
export class ConcurrencyLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #waitsForAll: boolean;
  readonly #underWay = new Set<Promise<void>>();
  #share = 0;
  #failure: { reason: unknown } | undefined;

  constructor({ signal, waitsForAll = false }: LimitOptions = {}) {
    this.#signal = signal;
    this.#waitsForAll = waitsForAll;
  }

  /**
   * Begins work, after a wait if the limit has no room for it.
   * @param share the number of requests that the work counts as, up to `MAX_REQUESTS`.
   * @throws the error of earlier work, or the signal's reason.
   */
  async begin(work: () => Promise<unknown>, share = 1): Promise<void> {
    while (this.#underWay.size > 0 && this.#share + share > MAX_REQUESTS) {
      await (this.#waitsForAll ? Promise.all(this.#underWay) : Promise.race(this.#underWay));
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
