import type { ErrorObject } from 'ajv';
import { BODY_MEDIA_TYPE, entityTag } from '../contract/headers.ts';
import type { BodyRules, Operation } from '../contract/operation.ts';
import {
  headersOf,
  PROBLEM_URI,
  Problem,
  type ProblemHeader,
  problemDetail,
  problemTypes,
  RETRY_AFTER_S,
} from '../contract/problem.ts';
import { IDENTIFIER_RULE } from '../domain/identifier.ts';
import { isRecord } from '../domain/record.ts';
import { type Middleware, type Reply, requestIdOf } from '../runtime/invocation.ts';

/** Turns every error into a problem document (RFC 9457), an unforeseen one into a 500 without its cause. */
export function problems({ method, body }: Pick<Operation, 'method' | 'body'>): Middleware {
  return {
    onError: (request) => {
      const problem = translate(request.error, body?.rules ?? {});
      request.error = problem;
      request.response = responseTo(problem, requestIdOf(request), method);
    },
  };
}

function responseTo(problem: Problem, requestId: string, method: Operation['method']): Reply {
  const { code, options } = problem;
  const { status, title } = problemTypes[code];
  const { version, challenge, retryAfter = RETRY_AFTER_S } = options;
  const values: Record<ProblemHeader, string> = {
    'WWW-Authenticate': String(challenge),
    ETag: entityTag(Number(version)),
    'Accept-Patch': BODY_MEDIA_TYPE,
    'Retry-After': String(retryAfter),
  };
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...Object.fromEntries(headersOf(code).map((name) => [name, values[name]])),
    },
    body: JSON.stringify({
      type: PROBLEM_URI + code,
      title,
      status,
      detail: problemDetail(problem, method),
      code,
      request_id: requestId,
      ...options.extensions,
    }),
  };
}

/** By the cause that middy's own middlewares give their errors. */
function translate(error: unknown, bodyRules: BodyRules): Problem {
  if (error instanceof Problem) return error;
  const cause = error instanceof Error && isRecord(error.cause) ? error.cause : {};
  if (cause.package === '@middy/http-json-body-parser') {
    // The parser's error has a message if the body is not JSON, and none if it rejects `__proto__`.
    if (cause.message !== undefined) return new Problem('malformed_json');
    const proto = { instancePath: '/body', schemaPath: '', keyword: 'propertyNames', params: {} };
    return invalid([proto], bodyRules);
  }
  if (cause.package === '@middy/validator' && Array.isArray(cause.data)) {
    return invalid(cause.data, bodyRules);
  }
  return new Problem('internal', { detail: 'An unforeseen error.', cause: error });
}

function invalid(errors: ErrorObject[], bodyRules: BodyRules): Problem {
  const inBody = errors[0]?.instancePath.startsWith('/body');
  const extensions = { errors: errors.map((error) => invalidMember(error, bodyRules)) };
  return new Problem(inBody ? 'invalid_body' : 'invalid_path', { extensions });
}

/** Names the member, but never its value nor a name that the client chose. */
function invalidMember(error: ErrorObject, bodyRules: BodyRules) {
  const [, , ...steps] = error.instancePath.split('/');
  if (error.keyword === 'required') steps.push(String(error.params.missingProperty));
  const pointer = steps.map((step) => `/${step}`).join('');
  const general = error.keyword === 'format' ? `must be ${IDENTIFIER_RULE}` : error.message;
  return { pointer, message: bodyRules[pointer] ?? general ?? 'is not valid' };
}
