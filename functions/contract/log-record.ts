import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode } from './problem.ts';

/** A line of the log: of a request, or of a start whose priming has failed. */
export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  /** The `operationId`. */
  operation: string;
  /** The version of the function: a number, or `$LATEST` if none is published. */
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** Lambda's id of the invocation. */
  invocation_id?: string;
  /** The id of the caller's trace, named as in OpenTelemetry ("Trace Context in non-OTLP Log Formats"). */
  trace_id?: string | undefined;
  route?: string;
  tenant?: string | undefined;
  subject?: string | undefined;
  client?: string | undefined;
  duration_ms?: number;
  cold_start?: boolean;
  failure?: FailureRecord;
  status_changed_to?: JobStatus;
}

/** What the log says of an error. */
export interface FailureRecord {
  name: string;
  code?: string;
  /** The message of our own errors. That of others, which may quote their input, only under `npm start`. */
  detail?: string;
  /** Where it was thrown: the stack without its first lines, which hold the message. */
  stack: string[];
  /** AWS's id of the failed request, if AWS has responded. */
  aws_request_id?: string;
  cause?: FailureRecord;
}
