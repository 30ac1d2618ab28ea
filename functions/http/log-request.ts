import type { LogRecord } from '../contract/log-record.ts';
import type { Operation } from '../contract/operation.ts';
import type { LoggedIds } from '../contract/path-parameters.ts';
import { Problem } from '../contract/problem.ts';
import { isIdentifier, pseudonym } from '../domain/identifier.ts';
import { isoDate } from '../platform/clock.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { type Middleware, requestIdOf } from '../platform/invocation.ts';
import { describeFailure } from '../platform/log.ts';

const levels: Readonly<Partial<Record<LogRecord['outcome'], LogRecord['level']>>> = {
  internal: 'ERROR',
  unavailable: 'WARN',
  stored_data_invalid: 'WARN',
};

/** W3C Trace Context, section 3.2. Versions after 00 may append fields. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?![^-])/;

/**
 * Writes the audit trail: who read which application. CloudWatch's metric filters count the lines. Never add names,
 * e-mail addresses, bodies, tokens or file URLs.
 *
 * Use it before `problemResponses`: middy calls `after` and `onError` in reverse order, so the line describes the final
 * response.
 */
export function logRequest(
  { operationId, parameters }: Pick<Operation, 'operationId' | 'parameters'>,
  { environment, log, clock }: Dependencies,
): Middleware<{ startedAt: number }> {
  let coldStart = true;
  const write: Middleware<{ startedAt: number }>['after'] = (request) => {
    const { event, context, response, error } = request;
    const { headers, routeKey, pathParameters, caller, startedAt } = event;
    const { statusChangedTo, repairedFields } = event;
    const problem = error instanceof Problem ? error : undefined;
    const outcome = problem?.code ?? 'ok';
    const level = levels[outcome] ?? 'INFO';
    const ids: LoggedIds = {};
    for (const [name, identifier] of Object.entries(parameters)) {
      ids[identifier] = loggable(pathParameters?.[name]);
    }
    log({
      level,
      timestamp: isoDate(clock),
      operation: operationId,
      function_version: environment.functionVersion,
      request_id: requestIdOf(request),
      invocation_id: context.awsRequestId,
      trace_id: TRACEPARENT.exec(String(headers?.traceparent))?.[1],
      route: routeKey,
      ...ids,
      tenant: loggable(caller?.tenant),
      subject: loggable(caller?.subject),
      client: loggable(caller?.client),
      token_fault: problem?.options.tokenFault,
      token_issuer: problem?.options.tokenIssuer,
      outcome,
      status: response?.statusCode,
      duration_ms: Math.round((clock().monotonic - startedAt) * 1000) / 1000,
      cold_start: coldStart,
      ...(level !== 'INFO' && { failure: describeFailure(error, environment.isLocal) }),
      ...(statusChangedTo && { status_changed_to: statusChangedTo }),
      ...(repairedFields && { repaired_fields: repairedFields }),
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

/** Anything but a valid identifier may be personal data. */
const loggable = (value: unknown) => (isIdentifier(value) ? pseudonym(value) : undefined);
