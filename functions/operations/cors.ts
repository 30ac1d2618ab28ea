import { REMAPPED_CHALLENGE_HEADER } from '../contract/headers.ts';
import { problemHeaders } from '../contract/problem.ts';
import { keysOf } from '../domain/own-value.ts';
import { contracts } from './operations.ts';

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

export const cors = {
  methods: unique(contracts.map(({ method }) => method)),
  requestHeaders: unique([
    'Authorization',
    'Content-Type',
    // W3C Trace Context. The log has the trace id.
    'traceparent',
    'tracestate',
    ...contracts.flatMap(({ headers }) => keysOf(headers ?? {})),
  ]),
  responseHeaders: unique([
    'X-Request-Id',
    // API Gateway adds it, even to responses that it sends itself.
    'apigw-requestid',
    ...contracts.flatMap(({ response }) => keysOf(response.headers ?? {})),
    ...contracts.flatMap(({ problems, method }) =>
      problems.flatMap((code) => problemHeaders(code, method)),
    ),
    REMAPPED_CHALLENGE_HEADER,
  ]),
  /** Firefox allows a day, Chromium two hours. */
  preflightSeconds: 86_400,
};
