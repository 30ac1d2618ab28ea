import type { Context } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import { isIdentifier } from '../domain/identifier.ts';
import { pseudonym } from '../domain/pseudonym.ts';
import { type Invocation, type Middleware, requestIdOf } from '../runtime/invocation.ts';
import { describeFailure, type Log } from '../runtime/logger.ts';
import { type Clock, isoDate } from '../runtime/moment.ts';

const RECORDED_FAILURES = ['internal', 'unavailable'];

/**
 * Writes one log line per request, whatever its outcome: who asked for what, and what came of it. It
 * is the audit trail of reads too, so it has the identifiers of the path and of the caller, but never
 * names, e-mail addresses, telephone numbers, bodies, tokens or URLs. Filters of the log count the
 * service's metrics by it.
 */
export function logRequest(
  operation: string,
  log: Log,
  clock: Clock,
  isLocal: boolean,
): Middleware<unknown, { startedAt: number }> {
  let coldStart = true;
  const write: Middleware<unknown, { startedAt: number }>['after'] = (request) => {
    const { event, response, error, internal } = request;
    const outcome = error instanceof Problem ? error.code : 'ok';
    log({
      level: outcome === 'internal' ? 'ERROR' : outcome === 'unavailable' ? 'WARN' : 'INFO',
      timestamp: isoDate(clock),
      operation,
      ...auditFields(request),
      outcome,
      status: response?.statusCode,
      duration_ms: Math.round((clock().monotonic - internal.startedAt) * 1000) / 1000,
      cold_start: coldStart,
      ...(RECORDED_FAILURES.includes(outcome) && {
        failure: describeFailure(error, isLocal),
      }),
      ...(event.statusChangedTo && { status_changed_to: event.statusChangedTo }),
    });
    coldStart = false;
  };
  return {
    before: ({ internal }) => {
      internal.startedAt = clock().monotonic;
    },
    after: write,
    onError: write,
  };
}

/** Who asked for what. */
function auditFields(request: { event: Invocation; context: Context }) {
  const { event, context } = request;
  return {
    request_id: requestIdOf(request),
    invocation_id: context.awsRequestId,
    route: event.routeKey,
    job_id: loggable(event.pathParameters?.id),
    candidate_id: loggable(event.pathParameters?.candidate_id),
    tenant: loggable(event.caller?.tenant),
    subject: loggable(event.caller?.subject),
    client: loggable(event.caller?.client),
  };
}

/** An identifier as the log may have it; anything else is left out, because it may be personal data. */
const loggable = (value: unknown): string | undefined =>
  typeof value === 'string' && isIdentifier(value) ? pseudonym(value) : undefined;
