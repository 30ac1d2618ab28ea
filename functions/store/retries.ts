import { addAbortListener } from 'node:events';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { unavailable } from '../contract/problem.ts';
import type { Timer } from '../platform/clock.ts';
import { NoResponseError } from './transport.ts';

/** Without any response, three take about three seconds of the function's six. */
const MAX_ATTEMPTS = 3;
/** Before the second attempt, at most; twice as long before the third. The SDK's standard retry mode has the same. */
const PAUSE_MS = 50;
/** The same after throttling. */
const THROTTLED_PAUSE_MS = 1000;

export interface Failure {
  isSuccess: false;
  /** Of the last attempt. */
  error: SdkError;
  /** Whether DynamoDB may have applied an attempt, or still may. */
  mayBeApplied: boolean;
  /** What to throw if DynamoDB has certainly applied none. */
  problem: Error;
}

/**
 * Pauses between attempts have random lengths. A `retry-after` header is ignored: DynamoDB never sends one, and it
 * could ask for any pause.
 * @param send makes one attempt.
 */
export async function withRetries<Output extends object>(
  send: () => Promise<Output>,
  signal: AbortSignal,
  timer: Timer,
): Promise<{ isSuccess: true; output: Output } | Failure> {
  let mayBeApplied = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await send().then(
      (output) => ({ isSuccess: true, output }) as const,
      (error: SdkError) => ({ isSuccess: false, error }) as const,
    );
    if (result.isSuccess) return result;
    const { error } = result;
    const { isAmbiguous, isTemporary } = classify(error);
    mayBeApplied ||= isAmbiguous;
    if (attempt < MAX_ATTEMPTS && isTemporary && !signal.aborted) {
      const longestMs = isThrottlingError(error) ? THROTTLED_PAUSE_MS : PAUSE_MS;
      await pause(Math.random() * longestMs * attempt, signal, timer);
      if (!signal.aborted) continue;
    }
    const failure = isTemporary ? unavailable('database', error) : error;
    const problem = signal.aborted ? unavailable('timeLimit', error) : failure;
    return { ...result, mayBeApplied, problem };
  }
}

/** Ends early if `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal, timer: Timer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer('pause', ms, resolve);
  using _listener = addAbortListener(signal, () => resolve());
  await promise;
  cancel();
}

/**
 * `isAmbiguous`: DynamoDB may have applied the request, or still may. `isTemporary`: another attempt may succeed.
 *
 * A 400 proves that the request was not applied, if it names an error, such as a failed condition or throttling, or is
 * too large or too deeply nested to be read. Other 4xx responses prove nothing, because a proxy may have sent them.
 */
function classify(error: SdkError): { isAmbiguous: boolean; isTemporary: boolean } {
  if (error instanceof NoResponseError) return { isAmbiguous: error.isSent, isTemporary: true };
  const status = error.$metadata?.httpStatusCode;
  // Without a status, it happened before the request was sent, and is a bug.
  if (status === undefined) return { isAmbiguous: false, isTemporary: false };
  if (error instanceof RangeError) return { isAmbiguous: status !== 400, isTemporary: false };
  const isNamed = '$fault' in error && error.name !== 'Unknown';
  const isAmbiguous = status !== 400 || !isNamed;
  const isTemporary =
    isAmbiguous || isClockSkew(error) || isThrottlingError(error) || isTransientError(error);
  return { isAmbiguous, isTemporary };
}

/** DynamoDB rejects the time of a signature by name ("Common errors" in the DynamoDB API Reference) or message. */
export const isClockSkew = ({ name, message }: SdkError) =>
  name === 'RequestExpired' || /^Signature (?:expired|not yet current)/.test(message);
