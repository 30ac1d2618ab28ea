import type { FailureRecord, LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isRecord } from '../domain/record.ts';

const DEEPEST_CAUSE = 5;

/**
 * Describes an error for the log without personal data. Leaves out the messages of libraries' errors, because a
 * JSON parser quotes its input and the SDK quotes attribute values.
 * @param isLocal whether to include the libraries' messages, for a developer under `npm start`.
 */
export function describeFailure(error: unknown, isLocal = false, depth = 0): FailureRecord {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const { code, $metadata: metadata }: Error & { code?: unknown; $metadata?: unknown } = error;
  const requestId = isRecord(metadata) ? metadata.requestId : undefined;
  return {
    name: isLike(WORD, error.name) ? error.name : 'Error',
    ...(isLike(WORD, code) && { code }),
    ...((isLocal || error instanceof Problem) && { detail: error.message }),
    stack: framesOf(error),
    ...(isLike(REQUEST_ID, requestId) && { aws_request_id: requestId }),
    ...(error.cause !== undefined &&
      depth < DEEPEST_CAUSE && { cause: describeFailure(error.cause, isLocal, depth + 1) }),
  };
}

/** The form of an error's name or code in the log. An untrusted response could put any other text into the log. */
const WORD = /^[\w.]{1,64}$/;
/**
 * An AWS request id. DynamoDB's ids have only letters and digits. DynamoDB Local and other services use UUIDs, which
 * also have hyphens.
 */
const REQUEST_ID = /^[\w-]{1,64}$/;

const isLike = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

/** A stack frame: the name of a function, if the function has a name, and a location. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] ]+ \()?(?:async )?(?:<anonymous>|index \d+|(?:file:|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/** Returns the frames of an error's stack. Skips the message at the stack's beginning, because it may look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const frames = stack.slice(start + message.length);
  return frames.split('\n').filter((line) => FRAME.test(line));
}

/** A function that writes a record to the log. */
export type Log = (record: Readonly<LogRecord>) => void;

/**
 * Writes one line of JSON to standard output. The Lambda runtime leaves this line unchanged. The function does not use
 * `console`, because the runtime wraps the output of `console` in another record.
 */
export const writeLine: Log = (record) => {
  process.stdout.write(`${JSON.stringify(record)}\n`);
};
