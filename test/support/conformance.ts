import {
  type DocumentedAnswer,
  type DocumentedOperation,
  followed,
  misfitOf,
  type Schema,
} from './openapi-file.ts';

/** An answer as any client of HTTP sees it. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
}

/** Finds what the document does not say of an answer; undefined where there is nothing. */
type Check = (operation: DocumentedOperation, answer: HttpAnswer) => string | undefined;

/** What every answer is checked for, by the names of the checks of schemathesis. */
const checks: Readonly<Record<string, Check>> = {
  not_a_server_error: (_, { status }) => (status >= 500 ? `${status}` : undefined),
  status_code_conformance: (operation, { status }) =>
    operation.responses[status] === undefined ? `${status} is not documented` : undefined,
  content_type_conformance(operation, answer) {
    const types = Object.keys(documentedAnswer(operation, answer)?.content ?? {});
    const type = lowerCased(answer.headers)['content-type'];
    return types.includes(String(type)) ? undefined : `${type} is not of ${types}`;
  },
  response_headers_conformance(operation, answer) {
    const headers = lowerCased(answer.headers);
    const documented = Object.entries(documentedAnswer(operation, answer)?.headers ?? {});
    const wrong = documented.flatMap(([name, header]) => {
      const misfit = misfitOf(
        followed<{ schema: Schema }>(header).schema,
        headers[name.toLowerCase()],
      );
      return misfit === undefined ? [] : [`${name}: ${misfit}`];
    });
    return wrong.length === 0 ? undefined : wrong.join('; ');
  },
  response_schema_conformance(operation, answer) {
    const content = documentedAnswer(operation, answer)?.content ?? {};
    const schemas = Object.values(content).map(({ schema }) => schema);
    const misfits = schemas.map((schema) => misfitOf(schema, answer.body));
    return misfits.includes(undefined) ? undefined : misfits.join('; ');
  },
};

export const answerChecks = Object.keys(checks);

/** What an answer has that the document does not, or the other way round; each by its check. */
export function departures(operation: DocumentedOperation, answer: HttpAnswer): string[] {
  return Object.entries(checks).flatMap(([name, check]) => {
    const found = check(operation, answer);
    return found === undefined ? [] : [`${name}: ${found}`];
  });
}

function documentedAnswer({ responses }: DocumentedOperation, { status }: HttpAnswer) {
  const found = responses[status];
  return found === undefined ? undefined : followed<DocumentedAnswer>(found);
}

const lowerCased = (headers: HttpAnswer['headers']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
