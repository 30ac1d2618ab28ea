import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Output } from './command.ts';
import { EVERY_MS, reportEvery } from './output.ts';

/** How long the table may be silent before the operator is told, in milliseconds. */
const SILENT_MS = 10_000;
/** How long the table may be silent after the operator has asked the command to end, in milliseconds. */
const GRACE_MS = 5000;

type Handle = NodeHttpHandler['handle'];

/** Sends the requests of a command, and knows how long DynamoDB has not responded to any. */
export class RequestHandler extends NodeHttpHandler {
  readonly #abandoned = new AbortController();
  /** Runs after the operator has asked the command to end. */
  #grace: NodeJS.Timeout | undefined;
  #pending = 0;
  /** When the last response came or, after a pause, the first request went; undefined in a pause. */
  #silentSince: number | undefined;

  constructor() {
    super({
      connectionTimeout: 5000,
      // By default the SDK waits for a response for ever. A full batch takes a while on a slow line.
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
    });
  }

  /**
   * Gives up the requests under way, and all later ones, if DynamoDB does not respond to any for
   * `graceMs` after the signal.
   */
  stopOn(signal: AbortSignal, graceMs = GRACE_MS): void {
    const abandon = () => this.#abandoned.abort(signal.reason);
    const start = () => {
      this.#grace = setTimeout(abandon, graceMs).unref();
    };
    signal.addEventListener('abort', start, { once: true });
  }

  /** Says on `output`, every few seconds, if DynamoDB has not responded for a while. */
  reportSilence(output: Output, everyMs = EVERY_MS, silentMs = SILENT_MS) {
    return reportEvery(everyMs, output, () => {
      const silent = performance.now() - (this.#silentSince ?? Number.POSITIVE_INFINITY);
      if (silent < silentMs) return undefined;
      return `DynamoDB has not responded for ${Math.floor(silent / 1000)} s. Ctrl-C stops the command.`;
    });
  }

  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    this.#silentSince ??= performance.now();
    this.#pending += 1;
    try {
      const abortSignal = this.#abandoned.signal;
      const response = await super.handle(request, { ...options, abortSignal });
      this.#grace?.refresh();
      this.#silentSince = this.#pending > 1 ? performance.now() : undefined;
      return response;
    } finally {
      this.#pending -= 1;
    }
  }
}
