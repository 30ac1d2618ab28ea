import type { ErrorObject } from 'ajv';
import type { BodyRules, Operation } from '../contract/operation.ts';
import {
  internal,
  invalidMembers,
  malformedJson,
  Problem,
  problemDocument,
} from '../contract/problem.ts';
import { IDENTIFIER_RULE } from '../domain/identifier.ts';
import { isRecord } from '../domain/record.ts';
import { type Middleware, requestIdOf } from '../runtime/invocation.ts';

/**
 * Turns every error into a problem document (RFC 9457). An unforeseen error becomes a 500 that does not show the
 * cause. For an invalid member of the body, `body.rules` replaces the validator's message.
 *
 *     .use(problems(updateJobStatus))
 *     .use(httpHeaderNormalizer())
 */
export function problems({ method, body }: Pick<Operation, 'method' | 'body'>): Middleware {
  return {
    onError: (request) => {
      const problem = translate(request.error, body?.rules ?? {});
      request.error = problem;
      const document = problemDocument(problem, method, requestIdOf(request));
      request.response = {
        statusCode: document.status,
        headers: { 'Content-Type': 'application/problem+json', ...problem.options.headers },
        body: JSON.stringify(document),
      };
    },
  };
}

/** Returns the problem for an error. If a middy middleware threw the error, `cause.package` names the middleware. */
function translate(error: unknown, bodyRules: BodyRules): Problem {
  if (error instanceof Problem) return error;
  const cause = error instanceof Error && isRecord(error.cause) ? error.cause : {};
  if (cause.package === '@middy/http-json-body-parser') {
    // The cause has a message if the body is not JSON. If the parser rejects a member `__proto__`, the cause has no
    // message.
    if (cause.message !== undefined) return malformedJson();
    const proto = { instancePath: '/body', schemaPath: '', keyword: 'propertyNames', params: {} };
    return invalid([proto], bodyRules);
  }
  if (cause.package === '@middy/validator' && Array.isArray(cause.data)) {
    return invalid(cause.data, bodyRules);
  }
  return internal('An unforeseen error.', error);
}

function invalid(errors: ErrorObject[], bodyRules: BodyRules): Problem {
  const isInBody = errors[0]?.instancePath.startsWith('/body');
  const members = errors.map((error) => invalidMember(error, bodyRules));
  return invalidMembers(isInBody ? 'invalid_body' : 'invalid_path', members);
}

/** Describes an invalid member by its pointer. Never includes the member's value, or a name that the client chose. */
function invalidMember(error: ErrorObject, bodyRules: BodyRules) {
  const [, , ...steps] = error.instancePath.split('/');
  if (error.keyword === 'required') steps.push(String(error.params.missingProperty));
  const pointer = steps.map((step) => `/${step}`).join('');
  const general = error.keyword === 'format' ? `must be ${IDENTIFIER_RULE}` : error.message;
  return { pointer, message: bodyRules[pointer] ?? general ?? 'is not valid' };
}
