/** Below the SDK's limit of 50 connections. */
export const MAX_REQUESTS = 40;

export class ConcurrencyLimit {
  readonly #signal: AbortSignal | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #failure: { reason: unknown } | undefined;

  /** @param signal once aborted, nothing more is begun; work under way goes on. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /**
   * Waits for room, and resolves once the work has begun, not when it ends.
   * @throws the error of earlier work, or the signal's reason.
   */
  async begin(work: () => Promise<unknown>): Promise<void> {
    while (this.#underWay.size >= MAX_REQUESTS) await Promise.race(this.#underWay);
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

  /** @throws the first error of any work, once all work has ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure) throw this.#failure.reason;
  }
}
