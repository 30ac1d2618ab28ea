import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode, TokenFault } from './problem.ts';

/**
 * A log line. The service writes one line for each request, and one line if priming fails. Priming is the sample
 * request that a function handles during init.
 */
export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  /** The contract's `operationId`. */
  operation: string;
  /** The version of the Lambda function: a number, or `$LATEST` if the function runs without a published version. */
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** The invocation id that Lambda assigned. */
  invocation_id?: string;
  /**
   * The trace id in the request's `traceparent` header. The name of the field is from OpenTelemetry's "Trace Context in
   * non-OTLP Log Formats".
   */
  trace_id?: string | undefined;
  route?: string;
  tenant?: string | undefined;
  subject?: string | undefined;
  client?: string | undefined;
  /** Why the token of an `invalid_token` was refused. */
  token_fault?: TokenFault | undefined;
  duration_ms?: number;
  cold_start?: boolean;
  failure?: FailureRecord;
  status_changed_to?: JobStatus;
}

/** The description of an error in the log. */
export interface FailureRecord {
  name: string;
  code?: string;
  /**
   * The error's message. Messages of library errors may quote input, so the log has these messages only if the
   * function runs under `npm start`.
   */
  detail?: string;
  /** The frames of the error's stack trace, without the error message at its beginning. */
  stack: string[];
  /** The request id in the AWS response that reported the error, if AWS responded. */
  aws_request_id?: string;
  cause?: FailureRecord;
}
