import { BODY_MEDIA_TYPE, entityTag } from '../contract/headers.ts';
import type { BodyRules, Operation } from '../contract/operation.ts';
import {
  headersOf,
  type InvalidMember,
  PROBLEM_URI,
  Problem,
  problemDetail,
  problemTypes,
} from '../contract/problem.ts';
import { IDENTIFIER_RULE } from '../domain/identifier.ts';
import { isRecord } from '../domain/record.ts';
import { type Middleware, type Reply, requestIdOf } from '../runtime/invocation.ts';

/**
 * Turns every error into a problem document (RFC 9457). An unforeseen error is a 500 that does not
 * reveal its cause.
 */
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
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/problem+json',
      ...headersFor(problem),
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

function headersFor({ code, options }: Problem): Record<string, string> {
  const { version, challenge, retryAfter = problemTypes.unavailable.retryAfter } = options;
  const values = {
    'WWW-Authenticate': challenge,
    ETag: version === undefined ? undefined : entityTag(version),
    'Accept-Patch': BODY_MEDIA_TYPE,
    'Retry-After': String(retryAfter),
  };
  return Object.fromEntries(
    headersOf(code)
      .map((name): [name: string, value: string | undefined] => [name, values[name]])
      .filter((header): header is [name: string, value: string] => header[1] !== undefined),
  );
}

/** The cause that middy's own middlewares give their errors. */
interface MiddyCause {
  package?: unknown;
  data?: unknown;
  message?: unknown;
}

function translate(error: unknown, bodyRules: BodyRules): Problem {
  if (error instanceof Problem) return error;
  const cause: MiddyCause = error instanceof Error && isRecord(error.cause) ? error.cause : {};
  if (cause.package === '@middy/http-json-body-parser') return unparsable(cause, bodyRules);
  if (cause.package === '@middy/validator' && isValidationErrors(cause.data)) {
    return invalid(cause.data, bodyRules);
  }
  return new Problem('internal', { detail: 'An unforeseen error.', cause: error });
}

/** The parser's error has no message if it rejects `__proto__`, and one if the body is not JSON. */
function unparsable(cause: MiddyCause, bodyRules: BodyRules): Problem {
  if (cause.message === undefined) {
    return invalid([{ instancePath: '/body', keyword: 'propertyNames', params: {} }], bodyRules);
  }
  return new Problem('malformed_json');
}

function invalid(errors: ValidationError[], bodyRules: BodyRules): Problem {
  const inBody = errors[0]?.instancePath.startsWith('/body');
  const extensions = { errors: errors.map((error) => invalidMember(error, bodyRules)) };
  return new Problem(inBody ? 'invalid_body' : 'invalid_path', { extensions });
}

/** Names the member, but never its value nor a name that the client chose. */
function invalidMember(error: ValidationError, bodyRules: BodyRules): InvalidMember {
  const [, , ...steps] = error.instancePath.split('/');
  if (error.keyword === 'required') steps.push(String(error.params.missingProperty));
  const pointer = steps.map((step) => `/${step}`).join('');
  const isIdentifier = error.keyword === 'format';
  const general = isIdentifier ? `must be ${IDENTIFIER_RULE}` : (error.message ?? 'is not valid');
  return { pointer, message: bodyRules[pointer] ?? general };
}

const isValidationErrors = (value: unknown): value is ValidationError[] => Array.isArray(value);
