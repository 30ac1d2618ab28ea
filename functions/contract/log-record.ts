import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode, TokenFault } from './problem.ts';

/** One line for each request, and one if priming fails. */
export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  /** The contract's `operationId`. */
  operation: string;
  /** A number, or `$LATEST` for an unpublished version. */
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** Lambda's request id. `request_id` is API Gateway's, or also Lambda's in a direct invocation. */
  invocation_id?: string;
  /** From the `traceparent` header, under OpenTelemetry's name ("Trace Context in non-OTLP Log Formats"). */
  trace_id?: string | undefined;
  route?: string;
  tenant?: string | undefined;
  subject?: string | undefined;
  client?: string | undefined;
  /** Only with the outcome `invalid_token`. */
  token_fault?: TokenFault | undefined;
  /** The token's `iss`, unverified: only with the fault `other_issuer`, and only if it is a plain https address. */
  token_issuer?: string | undefined;
  duration_ms?: number;
  cold_start?: boolean;
  failure?: FailureRecord;
  status_changed_to?: JobStatus;
  /**
   * How many stored fields the contract excludes, so that the response has replacements (`repairsOf` in
   * functions/store/read-application.ts).
   */
  repaired_fields?: number;
}

export interface FailureRecord {
  name: string;
  code?: string;
  /** Only of a `Problem`, except under `npm start`: other messages may quote input. */
  detail?: string;
  /** Frames only: Node.js's own `stack` begins with the message. */
  stack: string[];
  aws_request_id?: string;
  cause?: FailureRecord;
}
