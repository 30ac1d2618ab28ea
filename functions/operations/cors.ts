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
    // The log has the trace id (W3C Trace Context).
    'traceparent',
    'tracestate',
    ...contracts.flatMap(({ headers }) => keysOf(headers ?? {})),
  ]),
  responseHeaders: unique([
    'X-Request-Id',
    // API Gateway's own, also in its own responses.
    'apigw-requestid',
    ...contracts.flatMap(({ response }) => keysOf(response.headers ?? {})),
    ...contracts.flatMap(({ problems, method }) =>
      problems.flatMap((code) => problemHeaders(code, method)),
    ),
    REMAPPED_CHALLENGE_HEADER,
  ]),
  /** Chromium's limit is two hours, Firefox's a day. */
  preflightSeconds: 86_400,
};
