import type { FailureRecord, LogRecord } from '../../functions/contract/log-record.ts';
import { inSources } from './stack-trace.ts';

/** The log record of a request. */
type RequestRecord = LogRecord & Required<Pick<LogRecord, 'route' | 'duration_ms' | 'request_id'>>;

/**
 * Makes a function's log line readable: a summary of the request, then its failure with source locations. Other lines,
 * such as the output of `console.log`, do not change.
 */
export function readableLine(line: string): string {
  const record = recordOf(line);
  if (record === undefined) return line;
  const { route, job_id = '{id}', candidate_id = '{candidate_id}', failure } = record;
  const time = new Date(record.timestamp).toTimeString().slice(0, 8);
  const path = route.replace('{id}', () => job_id).replace('{candidate_id}', () => candidate_id);
  const details = [
    `${Math.round(record.duration_ms)} ms`,
    record.cold_start && 'cold start',
    record.tenant && `tenant ${record.tenant}`,
    record.subject && `subject ${record.subject}`,
    `request ${record.request_id}`,
  ].filter(Boolean);
  const summary = `${time} ${path} ${record.status} ${record.outcome}, ${details.join(', ')}`;
  return [summary, ...(failure === undefined ? [] : describe(failure))].join('\n');
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
