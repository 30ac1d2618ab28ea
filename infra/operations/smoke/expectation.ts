import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ajvOptions } from '../../../functions/contract/compiled.ts';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { componentHeaders, problemHeaders, successHeaders } from '../../openapi/headers.ts';
import { ProblemDocument } from '../../openapi/problems.ts';
import type { ApiAnswer } from './api-client.ts';

/** What is expected of an answer, beside what the contract says of every answer of its kind. */
export interface Expectation {
  /** The problem that it is; without one, the operation's success. */
  problem?: ProblemCode;
  /** Headers that have just this value. */
  headers?: Readonly<Record<string, string>>;
  /** The members of the body, in their order; they have just these values. */
  body?: Readonly<Record<string, unknown>>;
}

/**
 * What of an answer is not as it is expected and as the contract (and so the OpenAPI document) has it:
 * status, media type, headers, the body by its schema. What it tells of a body is the names of its
 * members, as a service that is broken might answer with someone's data.
 */
export function departures(
  operation: Operation,
  expected: Expectation,
  answer: ApiAnswer,
): string[] {
  const { problem } = expected;
  const status = problem === undefined ? 200 : problemTypes[problem].status;
  const wanted = problem === undefined ? `${status}` : `${status} (${problem})`;
  const code = codeOf(answer.body);
  const came = code === undefined ? `${answer.status}` : `${answer.status} (${code})`;
  if (answer.status !== status || code !== problem) return [`expected ${wanted}, came ${came}`];
  return [
    ...wrongHeaders(operation, expected, answer),
    ...wrongBody(operation, expected, answer),
    ...wrongMembers(expected.body, answer.body),
  ];
}

/** The code of a problem; undefined where the body is none, or not of this service. */
export function codeOf(body: unknown): string | undefined {
  const { code }: { code?: unknown } = Object(body);
  return typeof code === 'string' && Object.hasOwn(problemTypes, code) ? code : undefined;
}

function wrongHeaders(
  operation: Operation,
  { problem, headers = {} }: Expectation,
  answer: ApiAnswer,
): string[] {
  const promised =
    problem === undefined ? successHeaders(operation) : problemHeaders(answer.status);
  const all = componentHeaders();
  const wrong = Object.keys(promised).flatMap((name) => {
    const schema = all[name]?.schema ?? {};
    return misfits(`header ${name}`, schema, answer.headers.get(name) ?? undefined);
  });
  const exact = {
    'Content-Type': problem === undefined ? 'application/json' : 'application/problem+json',
    ...headers,
  };
  const others = Object.entries(exact).flatMap(([name, value]) => {
    const came = answer.headers.get(name);
    return came === value ? [] : [`header ${name}: expected ${value}, came ${came ?? 'none'}`];
  });
  return [...wrong, ...others];
}

function wrongBody(operation: Operation, { problem }: Expectation, answer: ApiAnswer): string[] {
  if (answer.body === undefined) return ['body: expected JSON'];
  const schema = problem === undefined ? operation.response.schema : ProblemDocument;
  const { request_id: id }: { request_id?: unknown } = Object(answer.body);
  const isOther = problem !== undefined && id !== answer.headers.get('X-Request-Id');
  return [
    ...misfits('body', schema, answer.body),
    ...(isOther ? ['body: expected the request_id of the header X-Request-Id'] : []),
  ];
}

function wrongMembers(expected: Expectation['body'], body: unknown): string[] {
  if (expected === undefined) return [];
  const members = new Map(Object.entries(Object(body)));
  const wrong = Object.entries(expected).flatMap(([name, value]) =>
    isDeepStrictEqual(members.get(name), value) ? [] : [`${name}: expected another value`],
  );
  const inOrder = isDeepStrictEqual([...members.keys()], Object.keys(expected));
  return inOrder ? wrong : [...wrong, 'body: expected just the members of the contract, in order'];
}

const ajv = new Ajv2020({ ...ajvOptions, allErrors: true });

/** Why a value does not fit a schema, without the value. */
function misfits(name: string, schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: name })];
}
