import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../functions/contract/openapi.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { operations } from '../../functions/contract/operations.ts';
import { formats } from '../../functions/domain/formats.ts';
import { Problem, type ProblemCode, problemTypes } from '../../functions/domain/problem.ts';
import { problems } from '../../functions/http/problems.ts';
import { responseHeaders } from '../../functions/http/response-headers.ts';
import manifest from '../../package.json' with { type: 'json' };

interface Content {
  schema: unknown;
  example?: unknown;
  examples?: Record<string, { value: Record<string, unknown> }>;
}
interface Answer {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Record<string, Content>;
}
interface Documented {
  operationId: string;
  security: { accessToken: string[] }[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Answer | { $ref: string }>;
}

const document = openApiDocument(manifest.version);
const text = `${JSON.stringify(document, null, 2)}\n`;
const parsed = JSON.parse(text);
const contracts: readonly Operation[] = Object.values(operations);
const codes = Object.keys(problemTypes) as ProblemCode[];

const find = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((node, step) => node?.[step], parsed);

const resolved = (answer: Answer | { $ref: string }) =>
  ('$ref' in answer ? find(answer.$ref) : answer) as Answer;

const documented = ({ path, method }: Operation): Documented =>
  parsed.paths[path][method.toLowerCase()];

const answerTo = (operation: Operation, status: number) =>
  resolved(documented(operation).responses[status] as Answer);

const problemContent = (operation: Operation, code: ProblemCode) =>
  answerTo(operation, problemTypes[code].status).content['application/problem+json'] as Content;

const exampleOf = (operation: Operation, code: ProblemCode) =>
  problemContent(operation, code).examples?.[code]?.value ?? {};

/** Each problem that an operation may answer. */
const cases = contracts.flatMap((operation) =>
  operation.problems.map((code) => ({ operation, code, name: operation.operationId })),
);

/** Why `value` does not fit a schema of the document; empty where it does. */
function misfit(schema: unknown, value: unknown): string {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats });
  const within = (part: unknown) =>
    JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', '#/$defs/'));
  const validate = ajv.compile({ ...within(schema), $defs: within(parsed.components.schemas) });
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** Every `$ref` of the document, with the place it stands at. */
function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : references(value),
  );
}

/** What the service's own middlewares answer to a problem, with every fact that its status knows. */
function served(code: ProblemCode, { detail, ...extensions }: Record<string, unknown>) {
  const { status } = problemTypes[code];
  const error = new Problem(code, String(detail), {
    extensions,
    ...((status === 401 || status === 403) && { challenge: 'Bearer realm="recruitment"' }),
    ...(status === 412 && { version: 4 }),
    ...(status === 503 && { retryAfter: 1 }),
  });
  const request = {
    error,
    event: { requestContext: { requestId: 'EXAMPLEreqId0123=' } },
    response: undefined as unknown as { headers: Record<string, string>; body: string },
  };
  problems().onError?.(request as never);
  responseHeaders().onError?.(request as never);
  return request.response;
}

describe('the OpenAPI document', () => {
  it('is committed as the contract builds it', async () => {
    const committed = await readFile('functions/contract/openapi.json', 'utf8');
    expect(committed, 'run npm run openapi').toBe(text);
  });

  it('bears the version it is given', () => {
    expect(openApiDocument('7.8.9').info.version).toBe('7.8.9');
  });

  it('has every operation and no other', () => {
    const found = Object.entries(parsed.paths).flatMap(([path, methods]) =>
      Object.entries(methods as object).map(([method, { operationId }]) => [
        operationId,
        method.toUpperCase(),
        path,
      ]),
    );
    expect(found).toEqual(
      contracts.map(({ operationId, method, path }) => [operationId, method, path]),
    );
  });

  it.each(contracts)('asks of $operationId the scope of its contract, and describes it', (one) => {
    expect(documented(one).security).toEqual([{ accessToken: [one.scope] }]);
    expect(parsed.components.securitySchemes.accessToken.description).toContain(
      `\`${one.scope}\`: ${one.summary}.`,
    );
  });

  it.each(contracts)('has the parameters that the path of $operationId names', (one) => {
    const inTemplate = Array.from(one.path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    const inPath = documented(one).parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(inTemplate);
    expect(Object.keys(one.parameters.properties)).toEqual(inTemplate);
    expect(one.parameters.required).toEqual(inTemplate);
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  it.each(contracts)('has the request headers of $operationId, none of them required', (one) => {
    const headers = documented(one).parameters.filter((parameter) => parameter.in === 'header');
    expect(headers.map(({ name }) => name)).toEqual(Object.keys(one.headers ?? {}));
    expect(headers.some(({ required }) => required)).toBe(false);
  });

  it('has each operation header as its contract has it, though two may share a name', () => {
    for (const { response } of contracts) {
      for (const [name, { description, ...schema }] of Object.entries(response.headers ?? {})) {
        expect(parsed.components.headers[name]).toEqual({ description, schema });
      }
    }
  });

  it('refers to nothing that is not there, and has no component that nothing refers to', () => {
    const referred = [...new Set(references(parsed))];
    for (const reference of referred) expect(find(reference), reference).toBeDefined();
    const { securitySchemes, ...components } = parsed.components;
    const defined = Object.entries(components).flatMap(([kind, members]) =>
      Object.keys(members as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(referred.sort()).toEqual(defined.sort());
    expect(Object.keys(securitySchemes)).toEqual(['accessToken']);
  });

  it('writes a named schema once and refers to it elsewhere', () => {
    const { Application, JobStatusUpdate, Problem: problem } = parsed.components.schemas;
    expect(Application.properties.education.items).toEqual({
      $ref: '#/components/schemas/Education',
    });
    expect(JobStatusUpdate.properties.status).toEqual({ $ref: '#/components/schemas/JobStatus' });
    expect(problem.properties.current_status).toEqual(JobStatusUpdate.properties.status);
  });
});

describe('the answers of the OpenAPI document', () => {
  it.each(contracts)('are, for $operationId, success, its problems and 429', (one) => {
    const statuses = one.problems.map((code) => problemTypes[code].status);
    const expected = [...new Set([200, 429, ...statuses])].sort((a, b) => a - b).map(String);
    expect(Object.keys(documented(one).responses)).toEqual(expected);
    const named = Object.values(documented(one).responses).flatMap((answer) =>
      Object.keys(resolved(answer).content['application/problem+json']?.examples ?? {}),
    );
    expect(named.sort()).toEqual([...one.problems].sort());
  });

  it('name every code of the table', () => {
    expect(new Set(cases.map(({ code }) => code))).toEqual(new Set(codes));
    expect(parsed.components.schemas.Problem.properties.code.enum).toEqual(codes);
  });

  it.each(cases)('have for $code of $name the status and title of the table', (one) => {
    const { status, title } = problemTypes[one.code];
    expect(exampleOf(one.operation, one.code)).toMatchObject({ status, title, code: one.code });
    expect(answerTo(one.operation, status).description).toContain(`\`${one.code}\`: ${title}`);
  });

  it.each(cases)('have for $code of $name the body and headers that are served', (one) => {
    const { status, title, type, code, request_id, ...said } = exampleOf(one.operation, one.code);
    const { headers, body } = served(one.code, said);
    expect(JSON.parse(body)).toEqual({ status, title, type, code, request_id, ...said });
    const { 'Content-Type': mediaType, ...others } = headers;
    const answer = answerTo(one.operation, problemTypes[one.code].status);
    expect(Object.keys(answer.content)).toEqual([mediaType]);
    expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(others).sort());
    for (const [name, value] of Object.entries(others)) {
      expect(misfit(parsed.components.headers[name].schema, value), name).toBe('');
    }
  });

  it.each(contracts)('carry, where $operationId succeeds, the headers that are served', (one) => {
    const request = {
      event: { requestContext: { requestId: 'EXAMPLEreqId0123=' } },
      response: { headers: {} },
    };
    responseHeaders().after?.(request as never);
    expect(Object.keys(answerTo(one, 200).headers).sort()).toEqual(
      [...Object.keys(request.response.headers), ...Object.keys(one.response.headers ?? {})].sort(),
    );
  });
});

describe('the examples of the OpenAPI document', () => {
  it.each(contracts)('fit their schemas in $operationId', (one) => {
    const { requestBody, responses } = documented(one);
    const contents = [requestBody, ...Object.values(responses).map(resolved)].flatMap((message) =>
      Object.values(message?.content ?? {}),
    );
    for (const { schema, example, examples } of contents) {
      const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
      expect(values).not.toContain(undefined);
      for (const value of values) expect(misfit(schema, value)).toBe('');
    }
  });

  it('fit their schemas in parameters and headers', () => {
    const parameters = contracts.flatMap((one) => documented(one).parameters);
    for (const { schema } of [
      ...parameters,
      ...Object.values<Content>(parsed.components.headers),
    ]) {
      const { examples = [] } = schema as { examples?: unknown[] };
      for (const value of examples) expect(misfit(schema, value)).toBe('');
    }
  });

  it('are measured by schemas that refuse what does not fit', () => {
    const problem = { $ref: '#/components/schemas/Problem' };
    const { status: _, ...statusless } = exampleOf(operations['get-application'], 'internal');
    expect(misfit(problem, statusless)).toContain('status');
    expect(misfit(problem, { ...statusless, status: 500, code: 'nobody' })).toContain('code');
    const moved = exampleOf(operations['update-job-status'], 'transition_refused');
    expect(misfit(problem, { ...moved, current_status: 'deleted' })).toContain('current_status');
  });
});
