/** What the log says of an error. */
export interface FailureRecord {
  name: string;
  code?: string;
  /** The message of our own errors; never that of others, which may quote what they choked on. */
  detail?: string;
  /** Where it was thrown: the stack without its first lines, which hold the message. */
  stack: string[];
  cause?: FailureRecord;
}

const DEEPEST_CAUSE = 5;

/**
 * Describes an error for the log without personal data. Messages of errors that are not ours are
 * left out: a JSON parser quotes its input, the SDK quotes attribute values.
 */
export function describeFailure(error: unknown, isOurs: (error: Error) => boolean): FailureRecord {
  return describe(error, isOurs, 0);
}

function describe(error: unknown, isOurs: (error: Error) => boolean, depth: number): FailureRecord {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(isOurs(error) && { detail: error.message }),
    stack: (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')),
    ...(error.cause !== undefined &&
      depth < DEEPEST_CAUSE && { cause: describe(error.cause, isOurs, depth + 1) }),
  };
}

/**
 * Writes one line of JSON to standard output, past `console`: the Lambda runtime would wrap what goes
 * through `console` in a record of its own, and leaves a line that is JSON already as it is.
 */
export function log(record: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}
