import { addAbortListener } from 'node:events';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { unavailable } from '../contract/problem.ts';
import type { Timer } from '../runtime/moment.ts';
import { NoResponse } from './transport.ts';

/** The maximum number of attempts of a request. With three attempts, the worst case stays within the timeout. */
const MAX_ATTEMPTS = 3;
/**
 * The longest first pause, in milliseconds, as in the SDK's standard mode. The second pause may be twice as long.
 */
const PAUSE_MS = 50;
/** The longest first pause after throttling, in milliseconds. */
const THROTTLED_PAUSE_MS = 1000;

/** The result of a request whose attempts have all failed. */
export interface Failure {
  isSuccess: false;
  /** The error of the last attempt. */
  error: SdkError;
  /** Whether DynamoDB may have applied an attempt, or may yet apply an attempt. */
  mayBeApplied: boolean;
  /** The error to throw if the request has certainly changed nothing. */
  problem: Error;
}

/**
 * Makes up to three attempts of a request, with pauses of random length in between. The function ignores
 * a `retry-after` header. DynamoDB sends no such header, and the header could ask for a pause of any length.
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

/** Waits for `ms` milliseconds, or until `signal` is aborted. */
async function pause(ms: number, signal: AbortSignal, timer: Timer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer('pause', ms, resolve);
  using _listener = addAbortListener(signal, () => resolve());
  await promise;
  cancel();
}

/**
 * Classifies a failed attempt. The attempt is ambiguous if DynamoDB may have applied the request, or may yet apply
 * it. The failure is temporary if another attempt may succeed.
 *
 * A response with status 400 and the name of an error proves that DynamoDB has not applied the request. Examples
 * are a failed condition and throttling. A response with status 400 that is too large or nested too deeply to
 * read proves the same. Other 4xx responses prove nothing, because a proxy may have sent them.
 */
function classify(error: SdkError): { isAmbiguous: boolean; isTemporary: boolean } {
  if (error instanceof NoResponse) return { isAmbiguous: error.isSent, isTemporary: true };
  const status = error.$metadata?.httpStatusCode;
  // Any other error without a response happened before the request was sent. Such an error is a bug of the service.
  if (status === undefined) return { isAmbiguous: false, isTemporary: false };
  if (error instanceof RangeError) return { isAmbiguous: status !== 400, isTemporary: false };
  const isNamed = '$fault' in error && error.name !== 'Unknown';
  const isAmbiguous = status !== 400 || !isNamed;
  const isTemporary =
    isAmbiguous || isClockSkew(error) || isThrottlingError(error) || isTransientError(error);
  return { isAmbiguous, isTemporary };
}

/** Returns whether the name ("Common errors") or message of an error says that DynamoDB rejected a signature's time. */
export const isClockSkew = ({ name, message }: SdkError) =>
  name === 'RequestExpired' || /^Signature (?:expired|not yet current)/.test(message);
