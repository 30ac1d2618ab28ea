import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { jobStatuses } from '../../../functions/domain/job.ts';
import type { Reply } from '../../../functions/runtime/invocation.ts';
import type { StatusChange } from './items.ts';
import type { SubjectOf } from './token.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Reply>;

/** A request that is rejected with a status. */
export class Rejected extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A variable of the environment, which must be there. */
export function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing.`);
  return value;
}

/** A bare handler that reads an application. */
export const readHandler = (
  subjectOf: SubjectOf,
  readApplication: (job: string, candidate: string) => Promise<object>,
): Handler =>
  handling(async (event) => {
    await subjectOf(event.headers.authorization, 'applications:read');
    const [job, candidate] = [parameter(event, 'id'), parameter(event, 'candidate_id')];
    return reply(200, await readApplication(job, candidate));
  });

/** A bare handler that sets a job's status; `setStatus` gives the job's version. */
export const updateHandler = (
  subjectOf: SubjectOf,
  setStatus: (change: StatusChange) => Promise<unknown>,
): Handler =>
  handling(async (event, { awsRequestId: changeId }) => {
    const actor = await subjectOf(event.headers.authorization, 'jobs:write');
    const job = parameter(event, 'id');
    const version = await setStatus({ job, status: statusIn(event), actor, changeId });
    return reply(200, { success: true }, { ETag: `"${version}"` });
  });

/** A handler that replies to rejected requests with their status. */
const handling =
  (handle: Handler): Handler =>
  async (event, context) => {
    try {
      return await handle(event, context);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return reply(error.status, { message: error.message });
    }
  };

const reply = (statusCode: number, value: object, headers: Record<string, string> = {}): Reply => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

function parameter({ pathParameters }: APIGatewayProxyEventV2, name: string): string {
  const value = pathParameters?.[name];
  if (!value) throw new Rejected(400, `The path lacks ${name}.`);
  return value;
}

function statusIn({ body = '' }: APIGatewayProxyEventV2): string {
  const { status } = parsed(body);
  const known = jobStatuses.find((name) => name === status);
  if (known === undefined) throw new Rejected(400, `Send one of ${jobStatuses.join(', ')}.`);
  return known;
}

function parsed(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    throw new Rejected(400, 'The body is not JSON.');
  }
}
