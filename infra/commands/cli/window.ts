/** The most DynamoDB requests of a command at once: fewer than the SDK's 50 connections. */
export const MOST_REQUESTS = 40;

/** A sliding window of work: the next begins as soon as there is room, and none after a failure. */
export class Window {
  readonly #signal: AbortSignal | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #share = 0;
  #failure: { reason: unknown } | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Begins work when there is room for it.
   * @param share the requests that it counts for, up to `MOST_REQUESTS`
   * @throws what earlier work has thrown, or the reason of the signal.
   */
  async begin(work: () => Promise<unknown>, share = 1): Promise<void> {
    while (this.#underWay.size > 0 && this.#share + share > MOST_REQUESTS) {
      await Promise.race(this.#underWay);
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

  /** Waits until all work has ended. @throws what the first that failed has thrown. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure) throw this.#failure.reason;
  }
}
