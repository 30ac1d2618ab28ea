import type { Dependencies } from '../platform/dependencies.ts';
import type { Middleware } from '../platform/invocation.ts';

/** The response must be ready 500 ms before Lambda's timeout, and its log line may take 200 ms on a slow vCPU. */
const RESERVE_MS = 700;

/**
 * Adds an `AbortSignal`, so that a response is ready 500 ms before Lambda's timeout, at which API Gateway would respond
 * without a problem document. Authentication and DynamoDB requests take the signal, and each reports its own outcome.
 * Middy's timeout would report the same error for all, and does not limit middlewares, such as the authentication.
 *
 * Lambda computes the remaining time with the machine's clock, which may be wrong by hours. Nearly the whole timeout is
 * left when an invocation starts, so a remaining time of less than half of it, or of more than it, counts as the whole
 * timeout.
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
