import type { ErrorObject } from 'ajv';
import type { BodyRules, Operation } from '../contract/operation.ts';
import {
  internal,
  invalidRequest,
  malformedJson,
  Problem,
  problemDocument,
} from '../contract/problem.ts';
import { IDENTIFIER_RULE } from '../domain/identifier.ts';
import { isObject } from '../domain/own-value.ts';
import { type Middleware, requestIdOf } from '../platform/invocation.ts';

export function problemResponses({ method, body }: Pick<Operation, 'method' | 'body'>): Middleware {
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

/** Middy's middlewares put their package name into the `cause` of what they throw. */
function translate(error: unknown, bodyRules: BodyRules): Problem {
  if (error instanceof Problem) return error;
  const cause = error instanceof Error && isObject(error.cause) ? error.cause : {};
  if (cause.package === '@middy/http-json-body-parser') {
    // Without a message, the parser has refused a forbidden member, such as `__proto__`.
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
  return invalidRequest(isInBody ? 'invalid_body' : 'invalid_path', members);
}

/** Never echoes input: neither the member's value nor a name that the client chose. */
function invalidMember(error: ErrorObject, bodyRules: BodyRules) {
  const [, , ...steps] = error.instancePath.split('/');
  if (error.keyword === 'required') steps.push(String(error.params.missingProperty));
  const pointer = steps.map((step) => `/${step}`).join('');
  const general = error.keyword === 'format' ? `must be ${IDENTIFIER_RULE}` : error.message;
  return { pointer, message: bodyRules[pointer] ?? general ?? 'is not valid' };
}
