import { isIdentifier } from '../domain/identifier.ts';
import { Problem } from '../domain/problem.ts';
import { describeFailure, log } from '../runtime/logger.ts';
import { type Middleware, requestIdOf } from './invocation.ts';

const RECORDED_FAILURES = ['internal', 'unavailable'];

/**
 * Writes the one log line of each request, refusals included: who asked for what, and what came of
 * it. It is the audit of reads too. Names, e-mails, bodies, tokens and URLs are never in it.
 */
export function logRequest(operation: string): Middleware<unknown, { startedAt: number }> {
  let coldStart = true;
  const write: Middleware<unknown, { startedAt: number }>['after'] = (request) => {
    const { event, context, response, error, internal } = request;
    const outcome = error instanceof Problem ? error.code : 'ok';
    log({
      level: outcome === 'internal' ? 'ERROR' : outcome === 'unavailable' ? 'WARN' : 'INFO',
      timestamp: new Date().toISOString(),
      request_id: requestIdOf(request),
      invocation_id: context.awsRequestId,
      operation,
      route: event.routeKey,
      job_id: identifier(event.pathParameters?.id),
      candidate_id: identifier(event.pathParameters?.candidate_id),
      tenant: event.caller?.tenant,
      subject: event.caller?.subject,
      client: event.caller?.client,
      outcome,
      status: response?.statusCode,
      duration_ms: Math.round((performance.now() - internal.startedAt) * 1000) / 1000,
      cold_start: coldStart,
      ...(RECORDED_FAILURES.includes(outcome) && {
        failure: describeFailure(error, (failure) => failure instanceof Problem),
      }),
    });
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

/** What is not an identifier names nothing, and may hold anything. */
const identifier = (value: unknown) =>
  typeof value === 'string' && isIdentifier(value) ? value : undefined;
