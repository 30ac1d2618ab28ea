import { addAbortListener } from 'node:events';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { unavailable } from '../contract/problem.ts';
import type { Timer } from '../runtime/moment.ts';
import { NoResponse } from './transport.ts';

/** So that the worst case stays within the function's timeout; the SDK's own default waits for minutes. */
const MAX_ATTEMPTS = 3;
/** The first pause at most, in milliseconds, as in the SDK's standard mode. The second is twice as long. */
const PAUSE_MS = 50;
const THROTTLED_PAUSE_MS = 1000;

/** A request whose attempts all failed. */
export interface Failure {
  isSuccess: false;
  /** The error of the last attempt. */
  error: SdkError;
  /** Whether DynamoDB may have applied one of the attempts, or may still apply it. */
  mayBeApplied: boolean;
  /** What to throw if nothing was changed. */
  problem: Error;
}

/**
 * Makes up to three attempts of a request, with pauses of a random length between them. A `retry-after` is
 * not read: DynamoDB sends none, and it would have no bound.
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
  const cancel = timer(ms, resolve);
  using _listener = addAbortListener(signal, () => resolve());
  await promise;
  cancel();
}

/**
 * Whether DynamoDB may have applied an attempt that failed, or may still apply it, and whether another
 * attempt may succeed. It is sure not to be applied if the response is an error of status 400 that has a name,
 * such as a condition that failed or throttling, or one that is too large or too deep to read. Other errors of
 * the client, as of a gateway, prove nothing.
 */
function classify(error: SdkError): { isAmbiguous: boolean; isTemporary: boolean } {
  if (error instanceof NoResponse) return { isAmbiguous: error.isSent, isTemporary: true };
  const status = error.$metadata?.httpStatusCode;
  // An error before anything was sent is a fault of the service.
  if (status === undefined) return { isAmbiguous: false, isTemporary: false };
  if (error instanceof RangeError) return { isAmbiguous: status !== 400, isTemporary: false };
  const isNamed = '$fault' in error && error.name !== 'Unknown';
  const isAmbiguous = status !== 400 || !isNamed;
  const isTemporary =
    isAmbiguous || isClockSkew(error) || isThrottlingError(error) || isTransientError(error);
  return { isAmbiguous, isTemporary };
}

/** Whether DynamoDB rejected the time of the signature, by the error's name ("Common errors") or message. */
export const isClockSkew = ({ name, message }: SdkError) =>
  name === 'RequestExpired' || /^Signature (?:expired|not yet current)/.test(message);
