import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { REMAPPED_CHALLENGE_HEADER } from '../../functions/contract/headers.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { type ProblemCode, problemDefinitions } from '../../functions/contract/problem.ts';
import { ajvOptions } from '../../functions/domain/formats.ts';
import { objectSchema } from '../../functions/domain/json-schema.ts';
import { isObject } from '../../functions/domain/own-value.ts';
import { componentHeaders, headersOfProblems, successHeaders } from './headers.ts';
import { ProblemDocument } from './problems.ts';

interface ApiResponse {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  /** Parsed; undefined if it is not JSON. */
  body: unknown;
}

/**
 * Undocumented members are faults too.
 * @returns the faults, without values: a broken service might send personal data.
 */
export function checkResponse(operation: Operation, response: ApiResponse): string[] {
  const { status, body } = response;
  const headers = withDocumentedNames(response.headers);
  const isSuccess = status === operation.response.status;
  const code = isSuccess ? undefined : codeOf(body);
  const isDocumented =
    code === undefined
      ? isSuccess
      : problemDefinitions[code].status === status && operation.problems.includes(code);
  if (!isDocumented) return [`${status} (${code ?? 'no code'}) is not documented`];
  const validate = validatorOf(operation, code);
  const isOther = isObject(body) && ![undefined, headers['x-request-id']].includes(body.request_id);
  return [
    ...(validate({ headers, body }) ? [] : [ajv.errorsText(validate.errors, { dataVar: '' })]),
    ...(isOther ? ['/body/request_id must equal the header X-Request-Id'] : []),
  ];
}

/** In lower case. API Gateway may have renamed `WWW-Authenticate`; this restores it. */
export const withDocumentedNames = (headers: ApiResponse['headers']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lowerCase = name.toLowerCase();
      return [lowerCase === REMAPPED_CHALLENGE_HEADER ? 'www-authenticate' : lowerCase, value];
    }),
  );

export function codeOf(body: unknown): ProblemCode | undefined {
  const code = isObject(body) ? body.code : undefined;
  return typeof code === 'string' && isProblemCode(code) ? code : undefined;
}

const isProblemCode = (code: string): code is ProblemCode =>
  Object.hasOwn(problemDefinitions, code);

const ajv = new Ajv2020({ ...ajvOptions, allErrors: true });
const headerSchemas = componentHeaders();
const validators = new Map<string, ValidateFunction>();

function validatorOf(operation: Operation, code: ProblemCode | undefined): ValidateFunction {
  const id = `${operation.operationId} ${code}`;
  const known = validators.get(id);
  if (known !== undefined) return known;
  const isSuccess = code === undefined;
  const names = Object.keys(
    isSuccess ? successHeaders(operation) : headersOfProblems([code], operation.method),
  );
  const headers = {
    ...Object.fromEntries(names.map((name) => [name.toLowerCase(), headerSchemas[name]?.schema])),
    'content-type': { const: isSuccess ? 'application/json' : 'application/problem+json' },
  };
  const body = closed(isSuccess ? operation.response.schema : ProblemDocument);
  const validate = ajv.compile(objectSchema({ headers: objectSchema(headers), body }));
  validators.set(id, validate);
  return validate;
}

/**
 * Clients ignore unknown members, but the service must not send any: adds `additionalProperties: false` to each object
 * schema that does not set it.
 */
function closed(schema: object): object {
  const entries = Object.entries(schema).map(([key, value]) => [key, closedValue(value)]);
  const describesObject = 'properties' in schema && 'required' in schema;
  return {
    ...(describesObject && { additionalProperties: false }),
    ...Object.fromEntries(entries),
  };
}

const closedValue = (value: unknown): unknown => (isObject(value) ? closed(value) : value);
