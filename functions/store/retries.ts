import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { Problem } from '../contract/problem.ts';
import type { Timer } from '../runtime/moment.ts';
import { timeIsUp } from '../runtime/time-limit.ts';
import { NoResponse } from './transport.ts';

/** So that the worst case stays within the function's time-out; the SDK's own default waits for minutes. */
const ATTEMPTS = 3;
/** The first pause at most, in milliseconds, as in the SDK's standard mode. The second is twice as long. */
const PAUSE_MS = 50;
const THROTTLED_PAUSE_MS = 1000;

/** A request of which no attempt was answered with a result. */
export interface Failure {
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
): Promise<{ output: Output } | Failure> {
  let mayBeApplied = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { output: await send() };
    } catch (error) {
      if (!isSdkError(error)) throw error;
      mayBeApplied ||= resultOf(error) === 'ambiguous';
      const isRetried = attempt < ATTEMPTS && (isTemporary(error) || isOfClock(error));
      if (!isRetried || signal.aborted) {
        const problem = signal.aborted ? timeIsUp(error) : problemOf(error);
        return { error, mayBeApplied, problem };
      }
      const longestMs = isThrottlingError(error) ? THROTTLED_PAUSE_MS : PAUSE_MS;
      await pause(Math.random() * longestMs * attempt, signal, timer);
    }
  }
}

const isSdkError = (thrown: unknown): thrown is SdkError => thrown instanceof Error;

/**
 * The problem `unavailable` if DynamoDB is slow, throttling, down or its response is garbled; other errors
 * unchanged, because they are a fault of the service or of its deployment.
 */
const problemOf = (error: SdkError): Error =>
  isTemporary(error) ? databaseUnavailable(error) : error;

/** Ends early if `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal, timer: Timer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer(ms, resolve);
  const stop = () => resolve();
  signal.addEventListener('abort', stop);
  await promise;
  signal.removeEventListener('abort', stop);
  cancel();
}

/**
 * What has become of an attempt that failed. DynamoDB has rejected it, and so not applied it, if the response
 * is an error of status 400 that has a name, such as a refused condition or throttling, or one that is too
 * large or too deep to read. Other errors of the client, as of a gateway, prove nothing.
 */
function resultOf(error: SdkError): 'not sent' | 'rejected' | 'ambiguous' {
  if (error instanceof NoResponse) return error.isSent ? 'ambiguous' : 'not sent';
  const status = error.$metadata?.httpStatusCode;
  if (status === undefined) return 'not sent';
  const isNamed = '$fault' in error && error.name !== 'Unknown';
  return status === 400 && (isNamed || error instanceof RangeError) ? 'rejected' : 'ambiguous';
}

/** Whether another attempt may succeed. An error before anything was sent is a fault of the service. */
function isTemporary(error: SdkError): boolean {
  if (error instanceof NoResponse) return true;
  if (error.$metadata?.httpStatusCode === undefined || error instanceof RangeError) return false;
  return resultOf(error) === 'ambiguous' || isThrottlingError(error) || isTransientError(error);
}

/** The errors of AWS for a signature of another time (AWS Signature Version 4). */
const CLOCK_ERRORS = ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'];

/** The errors for any wrong signature tell by their message if the time is wrong. */
const isOfClock = ({ name, message }: SdkError) =>
  CLOCK_ERRORS.includes(name) || /^Signature (?:expired|not yet current)/.test(message);

/** The problem if DynamoDB does not respond, or its response cannot be read. */
export const databaseUnavailable = (cause?: unknown) =>
  new Problem('unavailable', { detail: 'database', cause });
