import type { FailureRecord, LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isObject } from '../domain/own-value.ts';

const MAX_CAUSES = 5;

/**
 * Includes an error's message only if it is a `Problem`. Others may quote personal data: a JSON parser quotes its
 * input, and the AWS SDK quotes attribute values. With `isLocal` (`npm start`), all messages are included.
 */
export function describeFailure(error: unknown, isLocal = false, depth = 0): FailureRecord {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const { code, $metadata: metadata }: Error & { code?: unknown; $metadata?: unknown } = error;
  const requestId = isObject(metadata) ? metadata.requestId : undefined;
  return {
    name: isLike(WORD, error.name) ? error.name : 'Error',
    ...(isLike(WORD, code) && { code }),
    ...((isLocal || error instanceof Problem) && { detail: error.message }),
    stack: framesOf(error),
    ...(isLike(REQUEST_ID, requestId) && { aws_request_id: requestId }),
    ...(error.cause !== undefined &&
      depth < MAX_CAUSES && { cause: describeFailure(error.cause, isLocal, depth + 1) }),
  };
}

/** Error names and codes may come from an untrusted response. */
const WORD = /^[\w.]{1,64}$/;
/** DynamoDB's ids are letters and digits; DynamoDB Local's are UUIDs. */
const REQUEST_ID = /^[\w-]{1,64}$/;

const isLike = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

/** Only a location and perhaps a function name: no input may get into the log. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] ]+ \()?(?:async )?(?:<anonymous>|index \d+|(?:file:|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/** Skips the message, which may contain lines that look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const frames = stack.slice(start + message.length);
  return frames.split('\n').filter((line) => FRAME.test(line));
}

/** No known issuer is longer. Keeps a stranger's token from making a log line long. */
const MAX_ADDRESS_LENGTH = 256;
const PLAIN_ADDRESS = /^https:\/\/[a-z\d.-]+(?::\d+)?(?:\/[\w.~/-]*)?$/i;
/** Also matches Entra's placeholders: `https://login.microsoftonline.com/{tenantid}/v2.0`. */
export const ADDRESS_TEMPLATE = /^https:\/\/[a-z\d.{}-]+(?::\d+)?(?:\/[\w.~/{}-]*)?$/i;

/** Undefined unless safe to log: a short https URL without user, query, fragment or escapes. */
export const plainAddress = (address: unknown, pattern = PLAIN_ADDRESS): string | undefined =>
  isLike(pattern, address) && address.length <= MAX_ADDRESS_LENGTH ? address : undefined;

export type Log = (fields: Readonly<LogRecord>) => void;

/** Not `console`: the Lambda runtime would wrap its output in JSON of its own. */
export const writeLine: Log = (fields) => {
  process.stdout.write(`${JSON.stringify(fields)}\n`);
};
