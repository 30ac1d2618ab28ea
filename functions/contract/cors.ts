import { namesOf } from '../domain/object.ts';
import { REMAPPED_CHALLENGE_HEADER } from './headers.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { headersOf } from './problem.ts';

const contracts: readonly Operation[] = Object.values(operations);

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** What pages of the allowed origins may send, and which response headers they may read: all that the contracts name. */
export const cors = {
  methods: unique(contracts.map(({ method }) => method)),
  requestHeaders: unique([
    'Authorization',
    'Content-Type',
    ...contracts.flatMap(({ headers }) => namesOf(headers ?? {})),
  ]),
  responseHeaders: unique([
    'X-Request-Id',
    ...contracts.flatMap(({ response }) => namesOf(response.headers ?? {})),
    ...contracts.flatMap(({ problems, method }) =>
      problems.flatMap((code) => headersOf(code, method)),
    ),
    REMAPPED_CHALLENGE_HEADER,
  ]),
};
