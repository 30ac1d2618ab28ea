import type { Dependencies } from '../runtime/dependencies.ts';
import type { Middleware } from '../runtime/invocation.ts';

/**
 * The time between the abort of the signal and Lambda's timeout, in milliseconds. The response must be ready 500 ms
 * before the timeout. The other 200 ms are for writing the log line on a slow vCPU.
 */
const RESERVE_MS = 700;

/**
 * Adds an `AbortSignal` to the invocation. The signal aborts early enough for a response at least 500 ms before
 * Lambda's timeout. After Lambda's timeout, API Gateway would respond without a problem document.
 *
 * Every step that waits takes the signal, so that each step can report its own outcome. Middy's own timeout would
 * report the same error for all steps, and would not limit the middlewares.
 *
 * Lambda computes the remaining time with the machine's clock, which may be wrong by hours. At the start of an
 * invocation, nearly the whole timeout must be left. If Lambda reports less than half of the timeout, or more than the
 * timeout, the middleware assumes that the whole timeout is left.
 *
 *     .use(limitTime(dependencies))
 *     .handler(({ signal }) => readItem(id, signal))
 */
export function limitTime({ environment, timer }: Needs): Middleware<TimeLimit> {
  const { timeoutMs } = environment;
  // Middy uses the return value of a middleware as the response. `void` therefore discards the return value of
  // `stopTimer`.
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
