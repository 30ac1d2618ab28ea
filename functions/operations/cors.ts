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
    ...contracts.flatMap(({ headers }) => keysOf(headers ?? {})),
  ]),
  responseHeaders: unique([
    'X-Request-Id',
    ...contracts.flatMap(({ response }) => keysOf(response.headers ?? {})),
    ...contracts.flatMap(({ problems, method }) =>
      problems.flatMap((code) => problemHeaders(code, method)),
    ),
    REMAPPED_CHALLENGE_HEADER,
  ]),
};
