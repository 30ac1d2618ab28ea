import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../../functions/contract/problem.ts';
import { type ApiResponse, checkResponse, codeOf, headerOf } from '../../openapi/check-response.ts';

/** What is expected of a response, besides what the contract says of it. */
export interface Expectation {
  /** The problem that it is; without one, the operation's success. */
  problem?: ProblemCode;
  /** Headers that have exactly these values. */
  headers?: Readonly<Record<string, string>>;
  /** The members of the body, in their order, with exactly these values. */
  body?: Readonly<Record<string, unknown>>;
}

/** What is wrong with a response: it is not as expected, or not as the contract says. */
export function mismatches(
  operation: Operation,
  expected: Expectation,
  answer: ApiResponse,
): string[] {
  const { problem } = expected;
  const status = problem === undefined ? 200 : problemTypes[problem].status;
  const wanted = problem === undefined ? `${status}` : `${status} (${problem})`;
  const code = codeOf(answer.body);
  const got = code === undefined ? `${answer.status}` : `${answer.status} (${code})`;
  if (answer.status !== status || code !== problem) return [`expected ${wanted}, got ${got}`];
  const { body } = answer;
  return [
    ...checkResponse(operation, answer),
    ...wrongHeaders(expected, answer),
    ...wrongMembers(expected.body, body),
  ];
}

function wrongHeaders({ headers = {} }: Expectation, answer: ApiResponse): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const got = headerOf(answer, name);
    return got === value ? [] : [`header ${name}: expected ${value}, got ${got ?? 'none'}`];
  });
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
