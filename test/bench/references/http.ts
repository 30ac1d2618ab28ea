import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Reply } from '../../../functions/runtime/invocation.ts';

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Reply>;

/** A request that is refused with a status. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A reply of status 200. */
export const ok = (value: object, headers: Record<string, string> = {}) =>
  reply(200, value, headers);

const reply = (statusCode: number, value: object, headers: Record<string, string> = {}): Reply => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** A handler that replies to refusals with their status. */
export const handling =
  (handle: Handler): Handler =>
  async (event, context) => {
    try {
      return await handle(event, context);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return reply(error.status, { message: error.message });
    }
  };

/** A path parameter. */
export function parameter({ pathParameters }: APIGatewayProxyEventV2, name: string): string {
  const value = pathParameters?.[name];
  if (!value) throw new Refused(400, `The path lacks ${name}.`);
  return value;
}

/** The statuses that a job may have. */
export const STATUSES = ['published', 'closed', 'archived', 'draft', 'paused'] as const;

/** The status that a body asks for. */
export function statusIn({ body = '' }: APIGatewayProxyEventV2): string {
  const { status } = parsed(body);
  const known = STATUSES.find((name) => name === status);
  if (known === undefined) throw new Refused(400, `status must be one of ${STATUSES.join(', ')}.`);
  return known;
}

function parsed(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    throw new Refused(400, 'The body is not JSON.');
  }
}

/** The bearer token of an `Authorization` header. */
export function bearerToken(authorization = ''): string {
  const [scheme, token] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw new Refused(401, 'Send a bearer token.');
  return token;
}

/** A variable of the environment, which must be there. */
export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing.`);
  return value;
}
