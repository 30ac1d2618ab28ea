import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode } from './problem.ts';

/** The log line of a request, or of a start whose priming has failed. */
export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  /** The operation's `operationId`. */
  operation: string;
  /** The function version: a number, or `$LATEST` if no version is published. */
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** Lambda's id of the invocation. */
  invocation_id?: string;
  /** The trace id of the `traceparent` header. OpenTelemetry defines the field ("Trace Context in non-OTLP Log Formats"). */
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

/** The description of an error in the log. */
export interface FailureRecord {
  name: string;
  code?: string;
  /** The error's message. Library errors may quote input, so their messages are logged only under `npm start`. */
  detail?: string;
  /** The frames of the error's stack, without the message at the stack's beginning. */
  stack: string[];
  /** AWS's id of the failed request, if AWS responded. */
  aws_request_id?: string;
  cause?: FailureRecord;
}
