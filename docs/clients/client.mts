import ky, { isHTTPError } from 'ky';
import createClient from 'openapi-fetch';
import * as oauth from 'openid-client';
import type { components, paths } from './recruitment.ts';

const {
  BASE_URL = 'http://127.0.0.1:3000',
  TOKEN_ENDPOINT = 'http://127.0.0.1:3001/token',
  CLIENT_ID = 'client',
  CLIENT_SECRET = 'secret',
  SCOPE = 'applications:read jobs:write', // with Cognito: recruitment/applications:read …
} = process.env;

const server = { issuer: TOKEN_ENDPOINT, token_endpoint: TOKEN_ENDPOINT };
const issuer = new oauth.Configuration(server, CLIENT_ID, CLIENT_SECRET);
if (TOKEN_ENDPOINT.startsWith('http:')) oauth.allowInsecureRequests(issuer);

let token: ReturnType<typeof oauth.clientCredentialsGrant> | undefined;

/** One token for all requests, until a minute before it expires or until the API rejects it. */
async function accessToken(rejected?: string): Promise<string> {
  const seen = token;
  const held = await seen?.catch(() => undefined);
  const isUsable = held && held.access_token !== rejected && (held.expiresIn() ?? 3600) > 60;
  if (isUsable) return held.access_token;
  if (!token || token === seen) token = oauth.clientCredentialsGrant(issuer, { scope: SCOPE });
  return (await token).access_token;
}

class Attempts {
  /** An attempt may have made the change, and no response says so. */
  lost = false;
  code?: string;

  /** One attempt, or two if the API rejects the token of the first. */
  async attempt(request: Request, rejected?: string): Promise<Response> {
    const bearer = await accessToken(rejected);
    request.headers.set('Authorization', `Bearer ${bearer}`);
    const { lost } = this;
    this.lost = true; // until the response is here
    const response = await fetch(request.clone(), { signal: request.signal });
    const { code, outcome_unknown } = await response.clone().json();
    this.lost = lost || (response.status >= 500 && (code !== 'unavailable' || !!outcome_unknown));
    this.code = code;
    return code === 'invalid_token' && !rejected ? this.attempt(request, bearer) : response;
  }

  /** Up to four attempts, each for at most ten seconds. */
  fetch = (request: Request): Promise<Response> =>
    ky(request, {
      fetch: (input) => this.attempt(input as Request),
      timeout: 10_000,
      retry: {
        limit: 3,
        methods: ['get', 'patch'],
        statusCodes: [429, 500, 503],
        shouldRetry: () => (this.code === 'internal' ? false : undefined),
        retryOnTimeout: true,
        jitter: true,
      },
    }).catch((error) => {
      if (isHTTPError(error)) return Response.json(error.data, error.response);
      throw error;
    });
}

const api = createClient<paths>({ baseUrl: BASE_URL, fetch: (it) => new Attempts().fetch(it) });

type JobStatus = components['schemas']['JobStatus'];

/** Sets the status of a job that has this version, and says what is known of the outcome. */
async function setStatus(id: string, status: JobStatus, version: string, signal: AbortSignal) {
  const attempts = new Attempts();
  const { response, error } = await api
    .PATCH('/v1/jobs/{id}/status', {
      params: { path: { id }, header: { 'If-Match': version } },
      body: { status },
      fetch: attempts.fetch,
      signal,
    })
    .catch((error) => ({ response: undefined, error })); // no response, or the signal
  const { lost } = attempts;
  const etag = response?.headers.get('ETag') ?? '';
  const isNext = etag === `"${Number(version.slice(1, -1)) + 1}"`;
  let outcome = lost ? 'unknown' : 'not set'; // 401, 403, 429, 500, 503, no response
  if (response?.status === 200) outcome = 'set';
  if (response?.status === 404) outcome = 'no such job';
  if (response?.status === 409) outcome = 'not allowed';
  if (response?.status === 412) outcome = lost && isNext ? 'probably set' : 'changed by others';
  return { outcome, lost, version: etag, error };
}

const signal = AbortSignal.timeout(30_000); // or the signal of your caller
const read = (candidate_id: string) =>
  api.GET('/v1/jobs/{id}/applications/{candidate_id}', {
    params: { path: { id: '4007', candidate_id } },
    signal,
  });
for (const { data, error } of await Promise.all(['c-1001', 'unknown'].map(read))) {
  console.log(data?.name ?? error);
}
const known = await setStatus('4007', 'paused', '"0"', signal); // changes nothing
const { outcome, lost, version } = await setStatus('4007', 'paused', known.version, signal);
console.log(outcome, lost, version);
