import type { JobStatus } from '../domain/job.ts';
import type { LoggedIds } from './path-parameters.ts';
import type { ProblemCode, TokenFault } from './problem.ts';

export interface LogRecord extends LoggedIds {
  level: 'INFO' | 'WARN' | 'ERROR';
  timestamp: string;
  operation: string;
  function_version: string;
  outcome: ProblemCode | 'ok' | 'priming_failed';
  status?: number | undefined;
  request_id?: string;
  /** Lambda's request id; `request_id` is API Gateway's. */
  invocation_id?: string;
  /** From the `traceparent` header. Named as in OpenTelemetry's "Trace Context in non-OTLP Log Formats". */
  trace_id?: string | undefined;
  route?: string;
  tenant?: string | undefined;
  subject?: string | undefined;
  client?: string | undefined;
  token_fault?: TokenFault | undefined;
  /** The token's unverified `iss`, if it is a plain https address other than our issuer. */
  token_issuer?: string | undefined;
  duration_ms?: number;
  cold_start?: boolean;
  failure?: FailureRecord;
  status_changed_to?: JobStatus;
  /** How many stored values the response replaces or leaves out (functions/store/read-application.ts). */
  repaired_fields?: number;
}

export interface FailureRecord {
  name: string;
  code?: string;
  /** Only for a `Problem`: other messages may quote input. `npm start` logs them all. */
  detail?: string;
  /** Frames only, without the message that Node.js puts before them. */
  stack: string[];
  aws_request_id?: string;
  cause?: FailureRecord;
}
