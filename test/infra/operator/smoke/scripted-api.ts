import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  bearerChallenge,
  entityTag,
  fixedHeaders,
} from '../../../../functions/contract/headers.ts';
import type { ProblemCode } from '../../../../functions/contract/problem.ts';
import { operations } from '../../../../functions/operations/operations.ts';
import { problemExample } from '../../../../infra/documents/problems.ts';
import { portOf } from '../../../support/server.ts';

const read = operations['get-application'];

interface Response {
  status: number;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown>;
}

/** `hang` sends nothing, `reset` closes the connection. */
type Answer = Response | 'hang' | 'reset';

/** Gets the candidate's id of a read. */
export type Entry = Response | 'hang' | 'reset' | ((candidate: string) => Answer);

const REQUEST_ID = 'request-1';

const responseOf = (status: number, body: object, headers: Response['headers']): Response => ({
  status,
  headers: {
    ...fixedHeaders,
    'X-Request-Id': REQUEST_ID,
    'Content-Type': 'application/json',
    ...headers,
  },
  body: { ...body },
});

export const application: Entry = (candidate) => {
  const person = { user_id: candidate, name: 'Smoke Test', email: 'smoke-test@example.com' };
  return responseOf(200, { ...read.response.example, ...person }, {});
};

export const updated = (version: number): Entry =>
  responseOf(200, { success: true }, { ETag: entityTag(version) });

export function refusal(code: ProblemCode, headers: Response['headers'] = {}): Entry {
  const example = problemExample(code, read).value;
  const type = { 'Content-Type': 'application/problem+json' };
  const body = { ...example, request_id: REQUEST_ID };
  return responseOf(example.status, body, { ...type, ...headers });
}

export const unauthenticated = refusal('unauthenticated', {
  'WWW-Authenticate': bearerChallenge(),
});

/** What a working service answers to the checks, in their order. */
export const WORKING: readonly Entry[] = [
  unauthenticated,
  refusal('application_not_found'),
  refusal('invalid_body'),
  refusal('job_not_found'),
  application,
  updated(2),
  refusal('version_mismatch', { ETag: entityTag(2) }),
  updated(3),
];

const answerOf = (entry: Entry, candidate: string) =>
  typeof entry === 'function' ? entry(candidate) : entry;

/** The entry with another status, and other headers or members of the body. */
export function changed(entry: Entry, { status, headers, body }: Partial<Response>): Entry {
  return (candidate) => {
    const answer = answerOf(entry, candidate);
    if (typeof answer === 'string') return answer;
    return {
      status: status ?? answer.status,
      headers: { ...answer.headers, ...headers },
      body: { ...answer.body, ...body },
    };
  };
}

/** Answers one request with each entry of `script`. */
export async function startScriptedApi() {
  const api = {
    url: '',
    script: WORKING,
    received: [] as { method?: string; path: string; version?: unknown; status?: unknown }[],
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const sent = method === 'PATCH' ? await json(request) : {};
    const entry = api.script[api.received.length] ?? 'reset';
    api.received.push({ method, path, version: headers['if-match'], ...(sent as object) });
    const answer = answerOf(entry, path.split('/').at(-1) ?? '');
    if (answer === 'hang') return;
    if (answer === 'reset') {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, JSON.parse(JSON.stringify(answer.headers)));
    response.end(JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  api.url = `http://127.0.0.1:${portOf(server)}`;
  return api;
}
