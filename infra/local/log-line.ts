import type { FailureRecord, LogRecord } from '../../functions/contract/log-record.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { operations } from '../../functions/contract/operations.ts';
import { inSources } from './stack-trace.ts';

const contracts: readonly Operation[] = Object.values(operations);

/** The log record of a request. */
type RequestRecord = LogRecord & Required<Pick<LogRecord, 'route' | 'duration_ms' | 'request_id'>>;

/**
 * Makes a function's log line readable: a summary of the request, then its failure with source locations. Other lines,
 * such as the output of `console.log`, do not change.
 */
export function readableLine(line: string): string {
  const record = recordOf(line);
  if (record === undefined) return line;
  const { failure } = record;
  const time = new Date(record.timestamp).toTimeString().slice(0, 8);
  const details = [
    `${Math.round(record.duration_ms)} ms`,
    record.cold_start && 'cold start',
    record.tenant && `tenant ${record.tenant}`,
    record.subject && `subject ${record.subject}`,
    `request ${record.request_id}`,
  ].filter(Boolean);
  const summary = `${time} ${routeOf(record)} ${record.status} ${record.outcome}, ${details.join(', ')}`;
  return [summary, ...(failure === undefined ? [] : describe(failure))].join('\n');
}

/** Returns the route of a request, with the identifiers that the record has in place of the path parameters. */
function routeOf(record: RequestRecord): string {
  const contract = contracts.find(({ operationId }) => operationId === record.operation);
  return record.route.replace(/\{(\w+)\}/g, (parameter, name) => {
    const identifier = contract?.parameters[name];
    return (identifier && record[identifier]) ?? parameter;
  });
}

/** Returns the request's record in a log line; undefined if the line has none. */
export function recordOf(line: string): RequestRecord | undefined {
  try {
    const record: RequestRecord | null = JSON.parse(line);
    return typeof record?.route === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}

function describe({ name, code = '', detail, stack, cause }: FailureRecord): string[] {
  return [
    `  ${`${name} ${code}`.trim()}${detail === undefined ? '' : `: ${detail}`}`,
    inSources(stack.join('\n')),
    ...(cause === undefined ? [] : ['  caused by', ...describe(cause)]),
  ];
}
