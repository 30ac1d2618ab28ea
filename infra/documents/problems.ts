import type { JSONSchema } from 'json-schema-to-ts';
import type { Operation } from '../../functions/contract/operation.ts';
import {
  applicationNotFound,
  bodyTooLarge,
  insufficientScope,
  internal,
  invalidRequest,
  invalidToken,
  jobNotFound,
  malformedJson,
  noTenant,
  PROBLEM_URI,
  type Problem,
  type ProblemCode,
  type ProblemExtensions,
  problemDefinitions,
  problemDocument,
  storedDataInvalid,
  transitionRefused,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
  versionMismatch,
} from '../../functions/contract/problem.ts';
import { IDENTIFIER_RULE } from '../../functions/domain/identifier.ts';
import { JobStatus, transitionPolicies } from '../../functions/domain/job.ts';
import { objectSchema } from '../../functions/domain/json-schema.ts';
import { DEFAULT_SCOPE_CLAIMS } from '../../functions/platform/environment.ts';

const extensions = {
  errors: {
    type: 'array',
    description: 'The members of the request that are invalid.',
    items: objectSchema({
      pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) to the member.' },
      message: { type: 'string', description: 'What the member must be.' },
    }),
  },
  current_status: JobStatus,
  allowed_transitions: {
    type: 'array',
    description: 'The statuses that the job may move to.',
    items: JobStatus,
  },
  outcome_unknown: {
    type: 'boolean',
    const: true,
    description:
      'True if the change may have been made. A problem 503 without this member has changed nothing.',
  },
} as const satisfies Record<keyof ProblemExtensions, JSONSchema>;

export const ProblemDocument = {
  type: 'object',
  description:
    'A problem (RFC 9457). Tell problems apart by `code`, and ignore members that you do not know.',
  properties: {
    type: {
      type: 'string',
      pattern: `^${PROBLEM_URI}[a-z_]+$`,
      description:
        'A URI that names the type of the problem; docs/integrate.md explains each code.',
    },
    title: {
      type: 'string',
      description: 'What happened, in the same words for every problem of a type.',
    },
    status: { type: 'integer', description: 'The HTTP status of the response.' },
    detail: { type: 'string', description: 'What happened this time and what to do.' },
    code: {
      type: 'string',
      enum: Object.keys(problemDefinitions),
      description: 'The last part of `type`.',
    },
    request_id: {
      type: 'string',
      description: "The request's identifier. Quote it when you ask for help.",
    },
    ...extensions,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
} as const;

function exampleProblems({
  scope,
  method,
  parameters,
  body,
}: Operation): Record<ProblemCode, Problem> {
  const rules = Object.entries(body?.rules ?? {});
  const [pointer = '', message = ''] = rules.find(([member]) => member !== '') ?? [];
  return {
    invalid_path: invalidRequest('invalid_path', [
      { pointer: `/${Object.keys(parameters)[0]}`, message: `must be ${IDENTIFIER_RULE}` },
    ]),
    malformed_json: malformedJson(),
    invalid_body: invalidRequest('invalid_body', [{ pointer, message }]),
    unauthenticated: unauthenticated(),
    invalid_token: invalidToken('expired'),
    insufficient_scope: insufficientScope(scope, DEFAULT_SCOPE_CLAIMS),
    no_tenant: noTenant('tenant'),
    job_not_found: jobNotFound(),
    application_not_found: applicationNotFound(),
    transition_refused: transitionRefused(
      4,
      'draft',
      'closed',
      transitionPolicies.lifecycle('draft'),
    ),
    version_mismatch: versionMismatch(4, 'published'),
    body_too_large: bodyTooLarge(),
    unsupported_media_type: unsupportedMediaType(method),
    unavailable: unavailable('database'),
    stored_data_invalid: storedDataInvalid('job', 'version must be integer'),
    internal: internal('An example.'),
  };
}

export const problemExample = (code: ProblemCode, operation: Operation) => ({
  summary: problemDefinitions[code].title,
  value: exampleDocument(exampleProblems(operation)[code], operation),
});

export const outcomeUnknownExample = (operation: Operation) => ({
  summary: 'It is not known whether the change was made.',
  value: exampleDocument(unavailable('outcomeUnknown'), operation),
});

const exampleDocument = (problem: Problem, { method }: Operation) =>
  problemDocument(problem, method, 'EXAMPLEreqId0123=');
