import type { FailureRecord, LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isObject } from '../domain/object.ts';

/** The maximum number of nested causes that a log line describes. */
const MAX_CAUSES = 5;

/**
 * Describes an error for the log, without personal data. Leaves out the messages of library errors. For example, a JSON
 * parser quotes its input, and the AWS SDK quotes attribute values.
 * @param isLocal whether to include the messages of library errors, for a developer who uses `npm start`.
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

/**
 * The form that the name or the code of an error must have to be logged. An error may come from an untrusted response,
 * and its name or code could then contain any text.
 */
const WORD = /^[\w.]{1,64}$/;
/**
 * The form of an AWS request id. DynamoDB's ids consist of letters and digits. DynamoDB Local and other AWS services
 * use UUIDs, which also contain hyphens.
 */
const REQUEST_ID = /^[\w-]{1,64}$/;

const isLike = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

/** A line of a stack trace. The line has a location, and may have the name of a function. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] ]+ \()?(?:async )?(?:<anonymous>|index \d+|(?:file:|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/**
 * Returns the frames of an error's stack trace. Skips the error message at the beginning of the stack trace, because a
 * message may contain lines that look like frames.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const frames = stack.slice(start + message.length);
  return frames.split('\n').filter((line) => FRAME.test(line));
}

/** A function that writes a log line with these fields. */
export type Log = (fields: Readonly<LogRecord>) => void;

/**
 * Writes a log line as one line of JSON to standard output. The Lambda runtime leaves such a line unchanged. This
 * function does not use `console`, because the runtime would wrap the output of `console` in JSON of its own.
 */
export const writeLine: Log = (fields) => {
  process.stdout.write(`${JSON.stringify(fields)}\n`);
};
