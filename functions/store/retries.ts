import { addAbortListener } from 'node:events';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { unavailable } from '../contract/problem.ts';
import type { Timer } from '../runtime/moment.ts';
import { NoResponse } from './transport.ts';

/**
 * The maximum number of attempts of a request. If no attempt gets a response, three attempts take about three seconds.
 * The function's timeout is six seconds.
 */
const MAX_ATTEMPTS = 3;
/**
 * The maximum pause before the second attempt, in milliseconds. The SDK's standard retry mode has the same maximum.
 * Before the third attempt, the maximum is twice as long.
 */
const PAUSE_MS = 50;
/**
 * The maximum pause before the second attempt, in milliseconds, if DynamoDB has throttled the first attempt. If
 * DynamoDB throttles the second attempt too, the next maximum is twice as long.
 */
const THROTTLED_PAUSE_MS = 1000;

/** The result of a request whose attempts have all failed. */
export interface Failure {
  isSuccess: false;
  /** The error of the last attempt. */
  error: SdkError;
  /** Whether DynamoDB may have applied one of the attempts, or may still apply one of them. */
  mayBeApplied: boolean;
  /** The error to throw if DynamoDB has certainly applied none of the attempts. */
  problem: Error;
}

/**
 * Makes up to three attempts of a request, with pauses of random length between the attempts. Ignores a `retry-after`
 * header. DynamoDB never sends this header, and the header could ask for a pause of any length.
 * @param send a function that makes one attempt.
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

/** Waits for `ms` milliseconds, or until `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal, timer: Timer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer('pause', ms, resolve);
  using _listener = addAbortListener(signal, () => resolve());
  await promise;
  cancel();
}

/**
 * Classifies a failed attempt. `isAmbiguous` says whether DynamoDB may have applied the request, or may still apply the
 * request. `isTemporary` says whether another attempt may succeed.
 *
 * A response with status 400 proves that DynamoDB has not applied the request, if one of the following is true:
 *
 * - The response names an error, such as a failed condition or throttling.
 * - The response is too large, or nested too deeply, to be read.
 *
 * Other 4xx responses prove nothing, because a proxy may have sent them.
 */
function classify(error: SdkError): { isAmbiguous: boolean; isTemporary: boolean } {
  if (error instanceof NoResponse) return { isAmbiguous: error.isSent, isTemporary: true };
  const status = error.$metadata?.httpStatusCode;
  // An error other than `NoResponse` that has no status happened before the request was sent. Such an error is a bug in
  // the service.
  if (status === undefined) return { isAmbiguous: false, isTemporary: false };
  if (error instanceof RangeError) return { isAmbiguous: status !== 400, isTemporary: false };
  const isNamed = '$fault' in error && error.name !== 'Unknown';
  const isAmbiguous = status !== 400 || !isNamed;
  const isTemporary =
    isAmbiguous || isClockSkew(error) || isThrottlingError(error) || isTransientError(error);
  return { isAmbiguous, isTemporary };
}

/**
 * Returns whether DynamoDB rejected a request because of the time in its signature. DynamoDB reports this in the
 * error's name ("Common errors" in the DynamoDB API Reference) or in the error's message.
 */
export const isClockSkew = ({ name, message }: SdkError) =>
  name === 'RequestExpired' || /^Signature (?:expired|not yet current)/.test(message);
