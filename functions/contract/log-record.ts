import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode, TokenFault } from './problem.ts';

/** A log line: one for each request, and one if priming (the sample request during init) fails. */
export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  /** The contract's `operationId`. */
  operation: string;
  /** `$LATEST` without a published version. */
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** Lambda's. */
  invocation_id?: string;
  /** From `traceparent`; named as in OpenTelemetry's "Trace Context in non-OTLP Log Formats". */
  trace_id?: string | undefined;
  route?: string;
  tenant?: string | undefined;
  subject?: string | undefined;
  client?: string | undefined;
  /** Why the token of an `invalid_token` was refused. */
  token_fault?: TokenFault | undefined;
  /** The issuer that a token of `other_issuer` names, if that is a plain https address. Nobody has verified it. */
  token_issuer?: string | undefined;
  duration_ms?: number;
  cold_start?: boolean;
  failure?: FailureRecord;
  status_changed_to?: JobStatus;
}

/** An error. */
export interface FailureRecord {
  name: string;
  code?: string;
  /** The message. Those of library errors may quote input, so only `npm start` logs them. */
  detail?: string;
  /** The frames, without the message that a stack trace begins with. */
  stack: string[];
  /** From AWS's response, if there was one. */
  aws_request_id?: string;
  cause?: FailureRecord;
}
