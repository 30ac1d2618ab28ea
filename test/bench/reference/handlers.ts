import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { jobStatuses } from '../../../functions/domain/job.ts';
import type { FunctionResponse } from '../../../functions/platform/invocation.ts';
import { Rejected, readApplication, setStatus } from './store.ts';
import { subjectOf } from './token.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<FunctionResponse>;

export const getApplication = /* @__PURE__ */ handling(async (event) => {
  await subjectOf(event.headers.authorization, 'applications:read');
  const [job, candidate] = [parameter(event, 'id'), parameter(event, 'candidate_id')];
  return respond(200, await readApplication(job, candidate));
});

export const updateJobStatus = /* @__PURE__ */ handling(async (event, context) => {
  const actor = await subjectOf(event.headers.authorization, 'jobs:write');
  const job = parameter(event, 'id');
  const { status } = JSON.parse(event.body ?? '{}');
  if (!jobStatuses.includes(status)) throw new Rejected(400, 'There is no such status.');
  const version = await setStatus(job, status, actor, context.awsRequestId);
  return respond(200, { success: true }, { ETag: `"${version}"` });
});

function handling(handle: Handler): Handler {
  return async (event, context) => {
    try {
      return await handle(event, context);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      return respond(error.status, { message: error.message });
    }
  };
}

function respond(
  statusCode: number,
  value: object,
  headers: Record<string, string> = {},
): FunctionResponse {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  };
}

function parameter({ pathParameters }: APIGatewayProxyEventV2, name: string): string {
  const value = pathParameters?.[name];
  if (!value) throw new Rejected(400, `The path lacks ${name}.`);
  return value;
}
