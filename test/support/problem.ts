import { expect } from 'vitest';
import { type ProblemCode, problemTypes } from '../../functions/contract/problem.ts';

/**
 * The whole body of a problem of the request `request-1`: RFC 9457 and the service's extensions. Any
 * detail will do for a problem that has several, unless `members` gives one.
 */
export function problemBody(code: ProblemCode, members: Readonly<Record<string, unknown>> = {}) {
  const { status, title, detail } = problemTypes[code];
  return {
    type: `urn:problem-type:recruitment:${code}`,
    title,
    status,
    detail: typeof detail === 'string' ? detail : expect.any(String),
    code,
    request_id: 'request-1',
    ...members,
  };
}
