import middy from '@middy/core';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { getApplication } from '../../functions/contract/get-application.ts';
import { operations } from '../../functions/contract/operations.ts';
import { logRequest } from '../../functions/http/log-request.ts';
import { problems } from '../../functions/http/problems.ts';
import { responseHeaders } from '../../functions/http/response-headers.ts';
import type { Invocation, Reply } from '../../functions/runtime/invocation.ts';
import { writeLine } from '../../functions/runtime/logger.ts';
import { systemClock } from '../../functions/runtime/moment.ts';
import { type Handler, invoke } from '../support/invoke.ts';
import { type Person, person, tracesOf } from './personal-data/canaries.ts';
import { printCounts, randomNumbers, scaled, seed } from './random-cases.ts';

const { below, pick } = randomNumbers(seed());

/** Everything that is written, by whatever way. */
function captureOutput() {
  let text = '';
  const keep = (...values: unknown[]) => {
    text += values
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value)))
      .join(' ');
    return true;
  };
  beforeEach(() => {
    text = '';
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation(keep);
    }
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
      vi.spyOn(globalThis.console, name).mockImplementation(keep);
    }
    return () => vi.restoreAllMocks();
  });
  return { read: () => text };
}

type Throwable = (who: Person, cause: unknown) => unknown;

/** What code may throw, with the data of a person in each place that an error has. */
const throwables: readonly Throwable[] = [
  (who, cause) => new TypeError(`Cannot read ${who.name} of ${who.summary}`, { cause }),
  (who, cause) =>
    new SyntaxError(`Unexpected token in "${who.summary}\n    at ${who.email}"`, { cause }),
  (who, cause) => new Error(`\n    at ${who.name} (${who.email})\n`, { cause }),
  (who, cause) => new AggregateError([new Error(who.name), who.email, cause], who.phone, { cause }),
  (who, cause) =>
    Object.assign(new Error(who.email, { cause }), { name: who.name, code: who.email }),
  (who, cause) =>
    Object.assign(new Error(who.name, { cause }), {
      statusCode: 418,
      expose: true,
      body: who.summary,
      $metadata: { requestId: who.email, cfId: who.secret },
      $response: { body: who.comment },
      Item: who,
      toJSON: () => who,
      toString: () => who.name,
    }),
  (who) => {
    const error = new Error(`${who.name}\n    at ${who.email}`);
    error.message = pick(['', who.email, 'changed', 'Error']);
    return error;
  },
  (who) => Object.assign(new Error('bare'), { stack: `Error: bare\n    at ${who.email}` }),
  (who) => Object.assign(new Error(''), { stack: `${who.name}\n    at ${who.email}\n` }),
  (who) =>
    Object.assign(new Error(who.name), { cause: { package: '@middy/validator', data: who } }),
  (who) =>
    Object.assign(new Error(who.name), {
      cause: { package: '@middy/http-json-body-parser', data: who.summary, message: who.email },
    }),
  (who) => who.email,
  (who) => ({ ...who, statusCode: 200, body: who.summary }),
  (who) => [who.name, who.email],
  () => null,
  () => undefined,
  (who) => Symbol(who.email),
];

describe('personal data in unforeseen errors', () => {
  const output = captureOutput();
  const counts = { errors: 0, hits: 0 };
  afterAll(() => printCounts('personal data in errors', counts));

  const afterThrowing = (thrown: unknown) => {
    const handler = middy<Invocation, Reply>()
      .use(logRequest('getApplication', writeLine, systemClock))
      .use(responseHeaders())
      .use(problems(getApplication))
      .handler(() => {
        throw thrown;
      });
    return invoke(handler as unknown as Handler, operations['get-application'], {});
  };

  /** An error, and what caused it, to some depth. */
  const chain = (who: Person, depth: number): unknown =>
    pick(throwables)(who, depth === 0 ? undefined : chain(who, depth - 1));

  it('is in neither answer nor log, whatever is thrown and whatever caused it', async () => {
    for (const throwable of throwables) {
      const who = person(0);
      const answer = await afterThrowing(throwable(who, new Error(who.comment, { cause: who })));
      expect(tracesOf(Object.values(who), answer.text + output.read())).toEqual([]);
    }
    while (counts.errors < scaled(1000)) {
      const who = person(below(1000));
      const before = output.read().length;
      const answer = await afterThrowing(chain(who, below(7)));
      const written = output.read().slice(before);
      const traces = tracesOf(Object.values(who), answer.text + written);
      counts.errors += 1;
      counts.hits += traces.length;
      expect(traces).toEqual([]);
      expect(written.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('is found by this search if it is written', async () => {
    const { email } = person(0);
    const { console: terminal } = globalThis;
    for (const write of [
      () => terminal.error(new Error(email)),
      () => terminal.log(email),
      () => process.stderr.write(email),
      () => process.stdout.write(Buffer.from(email)),
    ]) {
      write();
      expect(tracesOf([email], output.read())).toEqual([email]);
    }
  });
});
