import type { FailureRecord, LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isRecord } from '../domain/record.ts';

const DEEPEST_CAUSE = 5;

/**
 * Describes an error for the log without personal data. Messages of errors that are not ours are
 * left out: a JSON parser quotes its input, the SDK quotes attribute values.
 * @param isLocal whether the log is for a developer, and has them
 */
export function describeFailure(error: unknown, isLocal = false, depth = 0): FailureRecord {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const code = 'code' in error ? word(error.code) : undefined;
  return {
    name: word(error.name) ?? 'Error',
    ...(code !== undefined && { code }),
    ...((isLocal || error instanceof Problem) && { detail: error.message }),
    stack: framesOf(error),
    ...('$metadata' in error && awsRequestOf(error.$metadata)),
    ...(error.cause !== undefined &&
      depth < DEEPEST_CAUSE && { cause: describeFailure(error.cause, isLocal, depth + 1) }),
  };
}

/** A name as programs have them, and nothing else that a response may have put in its place. */
function word(name: unknown): string | undefined {
  return typeof name === 'string' && /^[\w.]{1,64}$/.test(name) ? name : undefined;
}

/** AWS's own id of the request, which its support asks for; the SDK notes it on its errors. */
function awsRequestOf(metadata: unknown): { aws_request_id?: string } {
  const requestId = isRecord(metadata) ? metadata.requestId : undefined;
  // DynamoDB's are words; DynamoDB Local's, like those of other services, are UUIDs.
  const isId = typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId);
  return isId ? { aws_request_id: requestId } : {};
}

/** A line of a stack: maybe a function, and a place in a file. */
const FRAME =
  /^ {4}at (?:[\w$.<>#[\] ]+ \()?(?:async )?(?:<anonymous>|index \d+|(?:file:|node:|\/)[^\s()]+:\d+:\d+)\)?$/;

/**
 * The stack without the message that it begins with, which may itself look like a stack. If the
 * message was changed after the error was made, the stack begins with the old one, of which only
 * lines that name a place in a file are kept.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const frames = stack.slice(start + message.length);
  return frames.split('\n').filter((line) => FRAME.test(line));
}

/** Takes the one record of a request. */
export type Log = (record: Readonly<LogRecord>) => void;

/**
 * Writes one line of JSON to standard output, past `console`: the Lambda runtime would wrap what goes
 * through `console` in a record of its own, and leaves a line that is JSON already as it is.
 */
export const writeLine: Log = (record) => {
  process.stdout.write(`${JSON.stringify(record)}\n`);
};
