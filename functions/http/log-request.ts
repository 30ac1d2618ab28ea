import type { Context } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import { type Invocation, type Middleware, requestIdOf } from '../runtime/invocation.ts';
import { describeFailure, type Log } from '../runtime/logger.ts';
import { withEmbeddedMetrics } from './embedded-metrics.ts';
import { loggedIdentifier } from './logged-identifier.ts';

const RECORDED_FAILURES = ['internal', 'unavailable'];

/**
 * Writes the one log line of each request, refusals included: who asked for what, and what came of
 * it. It is the audit of reads too, so it holds the identifiers of the path and of the caller; names,
 * e-mails, telephones, bodies, tokens and URLs are never in it. CloudWatch makes the metrics of
 * `domain/metrics.ts` of it.
 */
export function logRequest(
  operation: string,
  log: Log,
): Middleware<unknown, { startedAt: number }> {
  let coldStart = true;
  const write: Middleware<unknown, { startedAt: number }>['after'] = (request) => {
    const { event, context, response, error, internal } = request;
    const outcome = error instanceof Problem ? error.code : 'ok';
    const now = new Date();
    const line = {
      level: outcome === 'internal' ? 'ERROR' : outcome === 'unavailable' ? 'WARN' : 'INFO',
      timestamp: now.toISOString(),
      operation,
      ...whoAskedForWhat(request),
      outcome,
      status: response?.statusCode,
      duration_ms: Math.round((performance.now() - internal.startedAt) * 1000) / 1000,
      cold_start: coldStart,
      ...(RECORDED_FAILURES.includes(outcome) && {
        failure: describeFailure(error, (failure) => failure instanceof Problem),
      }),
      function_name: context.functionName,
      requests: 1,
      ...(coldStart && { cold_starts: 1 }),
      ...(event.statusChangedTo && { status_changed_to: event.statusChangedTo, status_changes: 1 }),
    };
    log(withEmbeddedMetrics(line, now.getTime()));
    coldStart = false;
  };
  return {
    before: ({ internal }) => {
      internal.startedAt = performance.now();
    },
    after: write,
    onError: write,
  };
}

/** What the audit needs of a request. */
const whoAskedForWhat = (request: { event: Invocation; context: Context }) => {
  const { event, context } = request;
  return {
    request_id: requestIdOf(request),
    invocation_id: context.awsRequestId,
    route: event.routeKey,
    job_id: loggedIdentifier(event.pathParameters?.id),
    candidate_id: loggedIdentifier(event.pathParameters?.candidate_id),
    tenant: loggedIdentifier(event.caller?.tenant),
    subject: loggedIdentifier(event.caller?.subject),
    client: loggedIdentifier(event.caller?.client),
  };
};
