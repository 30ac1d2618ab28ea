import type { Dependencies } from '../runtime/dependencies.ts';
import type { Middleware } from '../runtime/invocation.ts';

/** 500 ms, and another 200 ms for the response and its log line on a slow vCPU. */
const RESERVE_MS = 700;

/**
 * Puts a signal on the invocation that aborts in time to respond at least 500 ms before Lambda ends it, which
 * API Gateway would report without a problem document. Whatever waits listens to it and says what it has
 * done: middy's own timeout cannot know, and leaves the middlewares out.
 *
 * Lambda computes the time that remains by this machine's clock, which may be wrong by hours. At the start of
 * an invocation nearly all of it is left: anything but a half to all of the timeout is not believed.
 *
 *     .use(limitTime(dependencies))
 *     .handler(({ signal }) => store.get(id, signal))
 */
export function limitTime({ environment, timer }: Needed): Middleware<TimeLimit> {
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

type Needed = Pick<Dependencies, 'environment' | 'timer'>;
type TimeLimit = { signal: AbortSignal; stopTimer: () => void };
