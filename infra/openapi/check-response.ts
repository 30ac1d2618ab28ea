import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { REMAPPED_CHALLENGE_HEADER } from '../../functions/contract/headers.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemTypes } from '../../functions/contract/problem.ts';
import { ajvOptions } from '../../functions/contract/validated-schemas.ts';
import { isRecord } from '../../functions/domain/record.ts';
import { componentHeaders, headersOfProblems, successHeaders } from './headers.ts';
import { ProblemDocument } from './problems.ts';

/** A response of the API as a client sees it. */
export interface ApiResponse {
  status: number;
  /** By their names, in any case. */
  headers: Readonly<Record<string, unknown>>;
  /** The parsed body; undefined if it is not JSON. */
  body: unknown;
}

/** What the contract says of a response. */
interface DocumentedResponse {
  mediaType: string;
  /** The names of the headers, all of which are always present. */
  headers: readonly string[];
  schema: object;
}

/** The names under which a challenge may come. */
export const challengeHeaders: readonly string[] = ['WWW-Authenticate', REMAPPED_CHALLENGE_HEADER];

/**
 * Checks a response of an operation against the contract, and so against the OpenAPI document: its
 * status, media type and headers, and its body, which may have no member that is not documented.
 * @returns what is wrong. It names members of the body but never shows their values: a service that
 *   is broken might send personal data.
 */
export function checkResponse(operation: Operation, response: ApiResponse): string[] {
  const { status, body } = response;
  const documented = documentedResponse(operation, response);
  if (documented === undefined)
    return [`${status} (${codeOf(body) ?? 'no code'}) is not documented`];
  const { mediaType, headers, schema } = documented;
  const got = headerOf(response, 'Content-Type');
  const requestId = isRecord(body) ? body.request_id : undefined;
  return [
    ...(got === mediaType ? [] : [`header Content-Type: expected ${mediaType}, got ${got}`]),
    ...headers.flatMap((name) =>
      misfits(`header ${name}`, headerSchemas[name]?.schema ?? {}, headerOf(response, name)),
    ),
    ...(body === undefined ? ['body: expected JSON'] : misfits('body', schema, body)),
    ...(requestId === undefined || requestId === headerOf(response, 'X-Request-Id')
      ? []
      : ['body: expected the request_id of the header X-Request-Id']),
  ];
}

/** The code of a problem; undefined if the body is not a problem of this service. */
export function codeOf(body: unknown): ProblemCode | undefined {
  const code = isRecord(body) ? body.code : undefined;
  return typeof code === 'string' && isProblemCode(code) ? code : undefined;
}

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemTypes, code);

function documentedResponse(
  operation: Operation,
  { status, body }: ApiResponse,
): DocumentedResponse | undefined {
  if (status === 200) {
    const headers = Object.keys(successHeaders(operation));
    return { mediaType: 'application/json', headers, schema: operation.response.schema };
  }
  const code = codeOf(body);
  if (code === undefined || problemTypes[code].status !== status) return undefined;
  if (!operation.problems.includes(code)) return undefined;
  const headers = Object.keys(headersOfProblems([code]));
  return { mediaType: 'application/problem+json', headers, schema: ProblemDocument };
}

/** The value of a header, in any case; that of a challenge also under the name that API Gateway may give it. */
export function headerOf({ headers }: Pick<ApiResponse, 'headers'>, name: string): unknown {
  const names = challengeHeaders.includes(name) ? challengeHeaders : [name];
  const lowerCase = names.map((each) => each.toLowerCase());
  return Object.entries(headers).find(([key]) => lowerCase.includes(key.toLowerCase()))?.[1];
}

const headerSchemas = componentHeaders();
const ajv = new Ajv2020({ ...ajvOptions, allErrors: true });
const validators = new Map<object, ValidateFunction>();

/** Why a value does not match a schema, without the value. */
function misfits(name: string, schema: object, value: unknown): string[] {
  const validate = validators.get(schema) ?? ajv.compile(closed(schema));
  validators.set(schema, validate);
  return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: name })];
}

/** The schema without the members that clients are told to ignore: the service sends none. */
function closed(schema: object): object {
  const entries = Object.entries(schema).map(([key, value]) => [key, closedValue(value)]);
  const isObject = 'properties' in schema && 'required' in schema;
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}

const closedValue = (value: unknown): unknown => (isRecord(value) ? closed(value) : value);
