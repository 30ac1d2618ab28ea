import { addAbortListener } from 'node:events';
import type { SdkError } from '@smithy/types';
import { unavailable } from '../contract/problem.ts';
import type { Timer } from '../platform/clock.ts';
import { NoResponseError } from './transport.ts';

/** Three attempts without a response take about three seconds of the function's six. */
const MAX_ATTEMPTS = 3;
/** Longest pause before the second attempt; twice as long before the third. */
const PAUSE_MS = 50;
/** Replaces `PAUSE_MS` after throttling, as in the SDK. */
const THROTTLED_PAUSE_MS = 1000;

export interface Failure {
  isSuccess: false;
  /** Of the last attempt. */
  error: SdkError;
  /** Whether DynamoDB may have applied an attempt, or may still do so. */
  isOutcomeUnknown: boolean;
  /** What to throw, except after a write whose outcome is unknown. */
  problem: Error;
}

/** Ignores `retry-after`: DynamoDB sends none, and a proxy's could ask for any pause. */
export async function withRetries<Output extends object>(
  send: () => Promise<Output>,
  signal: AbortSignal,
  timer: Timer,
): Promise<{ isSuccess: true; output: Output } | Failure> {
  let isOutcomeUnknown = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await send().then(
      (output) => ({ isSuccess: true, output }) as const,
      (error: SdkError) => ({ isSuccess: false, error }) as const,
    );
    if (result.isSuccess) return result;
    const { error } = result;
    const { isTemporary, ...found } = classify(error);
    isOutcomeUnknown ||= found.isOutcomeUnknown;
    if (attempt < MAX_ATTEMPTS && isTemporary && !signal.aborted) {
      const longestMs = rejections.throttled.includes(error.name) ? THROTTLED_PAUSE_MS : PAUSE_MS;
      await pause(Math.random() * longestMs * attempt, signal, timer);
      if (!signal.aborted) continue;
    }
    const failure = isTemporary ? unavailable('database', error) : error;
    const problem = signal.aborted ? unavailable('timeLimit', error) : failure;
    return { ...result, isOutcomeUnknown, problem };
  }
}

async function pause(ms: number, signal: AbortSignal, timer: Timer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer('pause', ms, resolve);
  using _listener = addAbortListener(signal, () => resolve());
  await promise;
  cancel();
}

/**
 * After these errors, DynamoDB has certainly not applied the request ("Error handling with DynamoDB" in the Developer
 * Guide; "GetItem", "UpdateItem" and "Common Errors" in the API Reference). For errors about the clock, see
 * `isClockSkew`.
 */
const rejections = {
  throttled: [
    'LimitExceededException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ThrottlingException',
  ],
  temporary: [
    // Lambda replaces an execution environment whose credentials have expired.
    'ExpiredTokenException',
    'InvalidEndpointException',
    'ItemCollectionSizeLimitExceededException',
    'ReplicatedWriteConflictException',
    'TransactionConflictException',
    // AWS may need a moment to know new credentials.
    'UnrecognizedClientException',
  ],
  permanent: [
    'AccessDeniedException',
    'ConditionalCheckFailedException',
    'IncompleteSignature',
    'IncompleteSignatureException',
    'InvalidSignatureException',
    'MalformedHttpRequestException',
    'MissingAuthenticationToken',
    'MissingAuthenticationTokenException',
    'NotAuthorized',
    'OptInRequired',
    'RequestEntityTooLargeException',
    'ResourceInUseException',
    'ResourceNotFoundException',
    // Undocumented: a value in the request's JSON has the wrong type.
    'SerializationException',
    'UnknownOperationException',
    'ValidationError',
    'ValidationException',
  ],
};

/**
 * An unknown error response, such as a proxy's or one that AWS adds later, leaves the outcome unknown and counts as
 * temporary: reported as 500 `internal`, it would make an alarm roll back a deployment in progress.
 */
function classify(error: SdkError): { isOutcomeUnknown: boolean; isTemporary: boolean } {
  if (error instanceof NoResponseError)
    return { isOutcomeUnknown: error.isSent, isTemporary: true };
  const status = error.$metadata?.httpStatusCode;
  // No status: the request was never sent, which is a bug.
  if (status === undefined) return { isOutcomeUnknown: false, isTemporary: false };
  // Response too large or nested too deep to read. Only status 400 proves that the request was refused.
  if (error instanceof RangeError) return { isOutcomeUnknown: status !== 400, isTemporary: false };
  if (status >= 500) return { isOutcomeUnknown: true, isTemporary: true };
  if (isClockSkew(error)) return { isOutcomeUnknown: false, isTemporary: true };
  const isRejected = Object.values(rejections).flat().includes(error.name);
  return { isOutcomeUnknown: !isRejected, isTemporary: !rejections.permanent.includes(error.name) };
}

/** Whether DynamoDB rejected a signature because of its time ("Common Errors" in the API Reference). */
export const isClockSkew = ({ name, message }: SdkError) =>
  name === 'RequestExpired' || /^Signature (?:expired|not yet current)/.test(message);
