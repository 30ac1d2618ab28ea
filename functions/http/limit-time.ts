import type { Dependencies } from '../platform/dependencies.ts';
import type { Middleware } from '../platform/invocation.ts';

/** 500 ms between the response and Lambda's timeout, and 200 ms for the log line on a slow vCPU. */
const RESERVE_MS = 700;

/**
 * Aborts `signal` early enough to respond 500 ms before Lambda's timeout, after which API Gateway would send its own
 * error instead of a problem document. Unlike middy's timeout, this one covers middlewares, and each step reports its
 * own outcome.
 *
 * Lambda computes the remaining time with the machine's clock, which may be hours off. When an invocation starts,
 * nearly the whole timeout remains, so less than half of it, or more than all, cannot be right.
 */
export function limitTime({ environment, timer }: Needs): Middleware<TimeLimit> {
  const { timeoutMs } = environment;
  // `void`, because middy uses a returned value as the response.
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
