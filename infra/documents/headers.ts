import {
  BODY_MEDIA_TYPE,
  bearerChallenge,
  fixedHeaders,
  REMAPPED_CHALLENGE_HEADER,
} from '../../functions/contract/headers.ts';
import type {
  DescribedSchema,
  DescribedSchemas,
  Operation,
} from '../../functions/contract/operation.ts';
import {
  type Method,
  type ProblemCode,
  type ProblemHeader,
  problemHeaders,
} from '../../functions/contract/problem.ts';
import { contracts } from '../../functions/operations/operations.ts';

const always = {
  'X-Request-Id': {
    type: 'string',
    description: 'Identifier of the request. The log has it, and a problem has it as `request_id`.',
    examples: ['EXAMPLEreqId0123='],
  },
  'Cache-Control': {
    type: 'string',
    const: fixedHeaders['Cache-Control'],
    description: 'Responses may not be stored (RFC 9111, section 5.2.2.5).',
  },
  'Content-Security-Policy': {
    type: 'string',
    const: fixedHeaders['Content-Security-Policy'],
    description: 'No page may frame a response (Content Security Policy Level 3).',
  },
  'Strict-Transport-Security': {
    type: 'string',
    description: 'The service uses HTTPS only (RFC 6797, section 6.1).',
    examples: [fixedHeaders['Strict-Transport-Security']],
  },
  'X-Content-Type-Options': {
    type: 'string',
    const: fixedHeaders['X-Content-Type-Options'],
    description: 'Browsers must not guess another media type (Fetch Standard).',
  },
} as const satisfies Record<keyof typeof fixedHeaders | 'X-Request-Id', DescribedSchema>;

const ofProblems = {
  'WWW-Authenticate': {
    type: 'string',
    description:
      'Why the credentials were rejected (RFC 6750, section 3). API Gateway may deliver this header as ' +
      `\`${REMAPPED_CHALLENGE_HEADER}\`: accept either name.`,
    examples: [
      bearerChallenge(),
      bearerChallenge('invalid_token'),
      bearerChallenge('insufficient_scope', 'jobs:write'),
    ],
  },
  'Retry-After': {
    type: 'string',
    pattern: '^\\d+$',
    description: 'Seconds to wait before trying again (RFC 9110, section 10.2.3).',
    examples: ['10'],
  },
  'Accept-Patch': {
    type: 'string',
    const: BODY_MEDIA_TYPE,
    description: 'The media type that the operation accepts (RFC 5789, section 3.1).',
  },
} as const satisfies Record<Exclude<ProblemHeader, 'ETag'>, DescribedSchema>;

export function componentHeaders() {
  const headers: DescribedSchemas = Object.assign(
    {},
    always,
    ...contracts.map(({ response }) => response.headers),
    ofProblems,
  );
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, ...schema }]) => [
      name,
      { description, schema },
    ]),
  );
}

export function successHeaders({ response }: Operation) {
  return references([...Object.keys(always), ...Object.keys(response.headers ?? {})]);
}

export function headersOfProblems(codes: readonly ProblemCode[], method: Method) {
  return references([
    ...Object.keys(always),
    ...codes.flatMap((code) => problemHeaders(code, method)),
  ]);
}

const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
