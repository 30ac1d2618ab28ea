import type { JSONSchema } from 'json-schema-to-ts';
import type { Operation } from '../../functions/contract/operation.ts';
import {
  type ConstantCode,
  PROBLEM_URI,
  Problem,
  type ProblemCode,
  type ProblemExtensions,
  problemDetail,
  problemTypes,
} from '../../functions/contract/problem.ts';
import { bodyRules } from '../../functions/contract/update-job-status.ts';
import { IDENTIFIER_RULE } from '../../functions/domain/identifier.ts';
import { JobStatus, transitionPolicies } from '../../functions/domain/job.ts';
import { objectOf } from '../../functions/domain/record.ts';

/** The members that some problems carry; the compiler holds them to what the service sends. */
const extensions = {
  errors: {
    type: 'array',
    description: 'The members of the request that are invalid.',
    items: objectOf({
      pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) to the member.' },
      message: { type: 'string', description: 'What the member must be.' },
    }),
  },
  current_status: { ...JobStatus },
  allowed_transitions: {
    type: 'array',
    description: 'The statuses that the job may move to.',
    items: { ...JobStatus },
  },
  outcome_unknown: {
    type: 'boolean',
    const: true,
    description: 'The change may have been made. If a 503 does not have it, nothing was changed.',
  },
} as const satisfies Record<keyof ProblemExtensions, JSONSchema>;

/** The body of every error: RFC 9457, section 3. */
export const ProblemDocument = {
  type: 'object',
  description:
    'A problem (RFC 9457). Tell problems apart by `code`; ignore members that you do not know.',
  properties: {
    type: {
      type: 'string',
      pattern: `^${PROBLEM_URI}[a-z_]+$`,
      description: 'A URI that names the type of the problem; docs/errors.md explains each code.',
    },
    title: { type: 'string', description: 'What happened; the same for every problem of a type.' },
    status: { type: 'integer', description: 'The HTTP status of the response.' },
    detail: { type: 'string', description: 'What happened this time and what to do.' },
    code: {
      type: 'string',
      enum: Object.keys(problemTypes),
      description: 'The last part of `type`.',
    },
    request_id: { type: 'string', description: 'Identifier of the request, to name to support.' },
    ...extensions,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
} as const;

/** The example's detail of each problem that has several details or one with parameters. */
const variableDetails = ({ scope, method }: Operation) =>
  ({
    invalid_token: problemTypes.invalid_token.detail.expired,
    insufficient_scope: problemTypes.insufficient_scope.detail(scope),
    transition_refused: problemTypes.transition_refused.detail('draft', 'closed'),
    unavailable: problemDetail(new Problem('unavailable', { detail: 'database' }), method),
  }) satisfies Record<Exclude<ProblemCode, ConstantCode>, string>;

const exampleExtensions: Readonly<Partial<Record<ProblemCode, ProblemExtensions>>> = {
  invalid_path: {
    errors: [{ pointer: '/id', message: `must be ${IDENTIFIER_RULE}` }],
  },
  invalid_body: {
    errors: [{ pointer: '/status', message: bodyRules['/status'] }],
  },
  transition_refused: {
    current_status: 'draft',
    allowed_transitions: transitionPolicies.lifecycle.draft,
  },
};

/** An Example Object (OpenAPI 3.1.0, section 4.8.19): a problem of an operation. */
export function problemExample(code: ProblemCode, operation: Operation) {
  const details: Partial<Record<ProblemCode, string>> = variableDetails(operation);
  const { status, title, detail } = problemTypes[code];
  return {
    summary: title,
    value: {
      type: `${PROBLEM_URI}${code}`,
      title,
      status,
      detail: details[code] ?? detail,
      code,
      request_id: 'EXAMPLEreqId0123=',
      ...exampleExtensions[code],
    },
  };
}

/** The 503 of a change that may have been made. */
export function outcomeUnknownExample(operation: Operation) {
  const { value } = problemExample('unavailable', operation);
  const detail = problemTypes.unavailable.detail.outcomeUnknown;
  const summary = 'It is not known whether the change was made.';
  return { summary, value: { ...value, detail, outcome_unknown: true } };
}
