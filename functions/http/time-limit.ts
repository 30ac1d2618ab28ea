import type { Dependencies } from '../runtime/dependencies.ts';
import type { Middleware } from '../runtime/invocation.ts';

/** 500 ms, and another 200 ms for the response and its log line on a slow vCPU. */
const RESERVE_MS = 700;

/**
 * Puts a signal on the invocation that aborts early enough to respond at least 500 ms before Lambda's timeout,
 * after which API Gateway would respond without a problem document. Whatever waits takes the signal and reports
 * its own outcome; middy's timeout cannot, and does not cover the middlewares.
 *
 * Lambda computes the remaining time by this machine's clock, which may be wrong by hours. At the start of an
 * invocation nearly all of it is left: anything but half to all of the timeout is ignored.
 *
 *     .use(limitTime(dependencies))
 *     .handler(({ signal }) => store.get(id, signal))
 */
export function limitTime({ environment, timer }: Needs): Middleware<TimeLimit> {
  const { timeoutMs } = environment;
  // Without a result, which middy would take for the response.
  const stopTimer: Middleware<TimeLimit>['after'] = ({ event }) => void event.stopTimer();
  return {
    before: ({ event, context }) => {
      const remainingMs = context.getRemainingTimeInMillis();
      const isCredible = remainingMs >= timeoutMs / 2 && remainingMs <= timeoutMs;
      const ms = (isCredible ? remainingMs : timeoutMs) - RESERVE_MS;
      const controller = new AbortController();
      event.signal = controller.signal;
      event.stopTimer = timer(ms, () => controller.abort());
    },
    after: stopTimer,
    onError: stopTimer,
  };
}

type Needs = Pick<Dependencies, 'environment' | 'timer'>;
type TimeLimit = { signal: AbortSignal; stopTimer: () => void };
