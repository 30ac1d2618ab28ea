import type { DocumentedOperation, Schema } from '../../support/openapi-file.ts';
import { invalidValues, validValues } from './schema-values.ts';

/** A request that is made from the document alone. */
export interface DocumentedRequest {
  /** What is tried. */
  what: string;
  operation: DocumentedOperation;
  /** The path parameters by their names. */
  ids: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** The path of a request, its parameters percent-encoded. */
export const pathOf = ({ operation, ids }: DocumentedRequest) =>
  operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ''));

/** A request that has what the operation requires, and nothing else. */
function usual(operation: DocumentedOperation): DocumentedRequest {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  return {
    what: 'what is required',
    operation,
    ids: Object.fromEntries(
      inPath.map(({ name, schema }) => [name, stringsOf(validValues, schema)[0] ?? '']),
    ),
    headers: type === undefined ? {} : { 'Content-Type': type },
    ...(content && { body: JSON.stringify(validValues(content.schema)[0]) }),
  };
}

/** Only strings can stand in a path or a header. */
const stringsOf = (make: (schema: Schema) => unknown[], schema: Schema): string[] =>
  make(schema).filter((value) => typeof value === 'string');

/** Requests that the document allows: each parameter and the body with each of its values in turn. */
export function validRequests(operation: DocumentedOperation): DocumentedRequest[] {
  return [usual(operation), ...varied(operation, validValues)];
}

/** Requests that the document forbids, for one reason each. */
export function invalidRequests(operation: DocumentedOperation): DocumentedRequest[] {
  const base = usual(operation);
  const requests = varied(operation, invalidValues);
  if (operation.requestBody === undefined) return requests;
  const { body: right = '', ...bodiless } = base;
  const { 'Content-Type': type = '', ...untyped } = base.headers;
  return [
    ...requests,
    { ...bodiless, what: 'no body' },
    ...['{', `${right},`, `\ufeff${right}`, ' ', 'undefined'].map((body) => ({
      ...base,
      what: `a body that is no JSON: ${body}`,
      body,
    })),
    { ...base, what: 'a body that is too large', body: right.padEnd(1025) },
    { ...base, what: 'no media type', headers: untyped },
    ...['text/plain', 'application/xml', `${type}-patch+json`, 'multipart/form-data', '*/*'].map(
      (other) => ({ ...base, what: other, headers: { ...base.headers, 'Content-Type': other } }),
    ),
  ];
}

function varied(
  operation: DocumentedOperation,
  make: (schema: Schema) => unknown[],
): DocumentedRequest[] {
  const base = usual(operation);
  const byParameter = operation.parameters.flatMap(({ name, in: place, schema }) =>
    stringsOf(make, schema).map((value) => ({
      ...base,
      what: `${name}: ${value}`,
      ...(place === 'path'
        ? { ids: { ...base.ids, [name]: value } }
        : { headers: { ...base.headers, [name]: value } }),
    })),
  );
  const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);
  const bodies = schemas.flatMap(make).map((value) => JSON.stringify(value));
  return [...byParameter, ...bodies.map((body) => ({ ...base, what: `body: ${body}`, body }))];
}
