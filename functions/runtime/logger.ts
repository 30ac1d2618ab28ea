import type { FailureRecord, LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isRecord } from '../domain/record.ts';

const DEEPEST_CAUSE = 5;

/**
 * Describes an error for the log without personal data. Messages of errors that are not ours are
 * left out: a JSON parser quotes its input, the SDK quotes attribute values.
 * @param isLocal whether the log is for a developer and has those messages too.
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

/** A plain identifier: in its place, an untrusted response may have any text. */
const WORD = /^[\w.]{1,64}$/;
/** DynamoDB's ids of requests are words; those of DynamoDB Local and of other services are UUIDs. */
const REQUEST_ID = /^[\w-]{1,64}$/;

const isLike = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);

/** A stack frame: a function, if it has a name, and a location. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] ]+ \()?(?:async )?(?:<anonymous>|index \d+|(?:file:|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/** The lines of a stack, without the message that it begins with, which may itself look like some of them. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const frames = stack.slice(start + message.length);
  return frames.split('\n').filter((line) => FRAME.test(line));
}

export type Log = (record: Readonly<LogRecord>) => void;

/**
 * Writes one line of JSON to standard output, past `console`: the Lambda runtime would wrap what goes
 * through `console` in a record of its own, and leaves a line that is JSON already as it is.
 */
export const writeLine: Log = (record) => {
  process.stdout.write(`${JSON.stringify(record)}\n`);
};
