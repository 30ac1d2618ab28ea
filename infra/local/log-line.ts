import type { FailureRecord, LogRecord } from '../../functions/contract/log-record.ts';
import { contracts } from '../../functions/operations/operations.ts';
import { mapToSources } from './stack-trace.ts';

type RequestLine = LogRecord & Required<Pick<LogRecord, 'route' | 'duration_ms' | 'request_id'>>;

export function readableLine(line: string): string {
  const request = requestIn(line);
  if (request === undefined) return line;
  const { failure } = request;
  const time = new Date(request.timestamp).toTimeString().slice(0, 8);
  const details = [
    `${Math.round(request.duration_ms)} ms`,
    request.cold_start && 'cold start',
    request.tenant && `tenant ${request.tenant}`,
    request.subject && `subject ${request.subject}`,
    `request ${request.request_id}`,
  ].filter(Boolean);
  const summary = `${time} ${requestPath(request)} ${request.status} ${request.outcome}, ${details.join(', ')}`;
  return [summary, ...(failure === undefined ? [] : describe(failure))].join('\n');
}

function requestPath(line: RequestLine): string {
  const contract = contracts.find(({ operationId }) => operationId === line.operation);
  return line.route.replace(/\{(\w+)\}/g, (parameter, name) => {
    const identifier = contract?.parameters[name];
    return (identifier && line[identifier]) ?? parameter;
  });
}

function requestIn(line: string): RequestLine | undefined {
  try {
    const parsed: RequestLine | null = JSON.parse(line);
    return typeof parsed?.route === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function describe({ name, code = '', detail, stack, cause }: FailureRecord): string[] {
  return [
    `  ${`${name} ${code}`.trim()}${detail === undefined ? '' : `: ${detail}`}`,
    mapToSources(stack.join('\n')),
    ...(cause === undefined ? [] : ['  caused by', ...describe(cause)]),
  ];
}
