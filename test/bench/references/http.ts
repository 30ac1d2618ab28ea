import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Reply } from '../../../functions/runtime/invocation.ts';

/** A request that is refused with a status. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const reply = (
  statusCode: number,
  value: object,
  headers: Record<string, string> = {},
): Reply => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** A handler whose refusals become answers. */
export const answering =
  (answer: (event: APIGatewayProxyEventV2, requestId: string) => Promise<Reply>) =>
  async (event: APIGatewayProxyEventV2, context: { awsRequestId: string }): Promise<Reply> => {
    try {
      return await answer(event, context.awsRequestId);
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

/** The status that a body sets. */
export function statusIn(body = ''): string {
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
