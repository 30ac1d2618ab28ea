import type { LogRecord } from '../contract/log-record.ts';
import { Problem } from '../contract/problem.ts';
import { isIdentifier, pseudonym } from '../domain/identifier.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { type Middleware, requestIdOf } from '../runtime/invocation.ts';
import { describeFailure } from '../runtime/logger.ts';
import { isoDate } from '../runtime/moment.ts';

/** The levels of failures that are not the caller's; any other outcome is `INFO`. */
const levels: Readonly<Partial<Record<LogRecord['outcome'], LogRecord['level']>>> = {
  internal: 'ERROR',
  unavailable: 'WARN',
  stored_data_invalid: 'WARN',
};

/** A valid `traceparent` (W3C Trace Context, section 3.2), to which versions after 00 may append fields. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?![^-])/;

/**
 * Writes one log line per request, whatever its outcome: who asked for what, and what came of it. It
 * is the audit trail of reads too, so it has the identifiers of the path and of the caller, but never
 * names, e-mail addresses, bodies, tokens or URLs. Metric filters count these lines.
 *
 *     .use(limitTime(dependencies))
 *     .use(logRequest(getApplication.operationId, dependencies))
 */
export function logRequest(
  operation: string,
  { environment, log, clock }: Dependencies,
): Middleware<{ startedAt: number }> {
  let coldStart = true;
  const write: Middleware<{ startedAt: number }>['after'] = (request) => {
    const { event, context, response, error } = request;
    const { headers, routeKey, pathParameters, caller, statusChangedTo, startedAt } = event;
    const outcome = error instanceof Problem ? error.code : 'ok';
    const level = levels[outcome] ?? 'INFO';
    log({
      level,
      timestamp: isoDate(clock),
      operation,
      function_version: environment.functionVersion,
      request_id: requestIdOf(request),
      invocation_id: context.awsRequestId,
      trace_id: TRACEPARENT.exec(String(headers?.traceparent))?.[1],
      route: routeKey,
      job_id: loggable(pathParameters?.id),
      candidate_id: loggable(pathParameters?.candidate_id),
      tenant: loggable(caller?.tenant),
      subject: loggable(caller?.subject),
      client: loggable(caller?.client),
      outcome,
      status: response?.statusCode,
      duration_ms: Math.round((clock().monotonic - startedAt) * 1000) / 1000,
      cold_start: coldStart,
      ...(level !== 'INFO' && { failure: describeFailure(error, environment.isLocal) }),
      ...(statusChangedTo && { status_changed_to: statusChangedTo }),
    });
    coldStart = false;
  };
  return {
    before: ({ event }) => {
      event.startedAt = clock().monotonic;
    },
    after: write,
    onError: write,
  };
}

/** An identifier as the log may have it; anything else is left out, because it may be personal data. */
const loggable = (value: unknown) => (isIdentifier(value) ? pseudonym(value) : undefined);
