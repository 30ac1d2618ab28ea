import type { Dependencies } from '../runtime/dependencies.ts';
import type { Middleware } from '../runtime/invocation.ts';

/** The time between the abort and Lambda's timeout: the required 500 ms, and 200 ms to write the log line on a slow vCPU. */
const RESERVE_MS = 700;

/**
 * Adds an `AbortSignal` to the invocation. The signal aborts early enough to respond at least 500 ms before
 * Lambda's timeout. After the timeout, API Gateway would respond without a problem document.
 *
 * Every step that waits takes the signal, so that each step can report its own outcome. Middy's timeout would report
 * the same error for all steps, and covers only the handler, not the middlewares.
 *
 * Lambda computes the remaining time with the machine's clock, and this clock may be wrong by hours. At the start of an
 * invocation, nearly the whole timeout is left. If the value is below half of the timeout, or above the timeout, the
 * middleware ignores the value and assumes the whole timeout.
 *
 *     .use(limitTime(dependencies))
 *     .handler(({ signal }) => readItem(id, signal))
 */
export function limitTime({ environment, timer }: Needs): Middleware<TimeLimit> {
  const { timeoutMs } = environment;
  // `void` discards the result, which middy would take for the response.
  const stopTimer: Middleware<TimeLimit>['after'] = ({ event }) => void event.stopTimer();
  return {
    before: ({ event, context }) => {
      const remainingMs = context.getRemainingTimeInMillis();
      const isCredible = remainingMs >= timeoutMs / 2 && remainingMs <= timeoutMs;
      const ms = (isCredible ? remainingMs : timeoutMs) - RESERVE_MS;
      const controller = new AbortController();
      event.signal = controller.signal;
      event.stopTimer = timer('invocation', ms, () => controller.abort());
    },
    after: stopTimer,
    onError: stopTimer,
  };
}

type Needs = Pick<Dependencies, 'environment' | 'timer'>;
type TimeLimit = { signal: AbortSignal; stopTimer: () => void };
