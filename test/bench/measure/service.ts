import autocannon from 'autocannon';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../../functions/contract/operations.ts';
import { AUDIENCE, TENANT_CLAIM } from '../../../infra/local/issuer.ts';
import { eventOf, type TestRequest } from '../../support/invoke.ts';
import { bundleOf } from '../contenders.ts';
import { lambdaVariables } from '../lambda.ts';
import { startProcess } from './contender-process.ts';
import { type LocalProcess, startLocalService } from './local-service.ts';

const SECONDS = 5;
const CONNECTIONS = [1, 10];
const DIRECT_CALLS = 1000;

/** What the local service does under load. */
export interface Load {
  operation: OperationName;
  connections: number;
  requestsPerSecond: number;
  /** Of the latency, in milliseconds. */
  percentiles: { p50: number; p90: number; p99: number };
  failures: number;
  /** Mean latency, and that of the same calls straight to the function, in microseconds. */
  meanMicros: number;
  directMicros: number;
}

/** An application and a job of the sample data; the job goes to and fro. */
const requests: Record<OperationName, TestRequest[]> = {
  'get-application': [{ pathParameters: { id: '4007', candidate_id: 'c-1001' } }],
  'update-job-status': ['closed', 'published'].map((status) => ({
    pathParameters: { id: '4007' },
    headers: { 'content-type': 'application/json' },
    body: { status },
  })),
};

/** Measures the service as `npm start` runs it, and what its gateway adds to its functions. */
export async function measureService(): Promise<Load[]> {
  const service = await startLocalService();
  try {
    const token = await tokenOf(service);
    const loads: Load[] = [];
    for (const operation of operationNames) {
      const directMicros = await callDirectly(operation, token, service);
      // The first requests start the functions' environments.
      await load(operation, token, service, { connections: 10, duration: 2 });
      for (const connections of CONNECTIONS) {
        const result = await load(operation, token, service, { connections, duration: SECONDS });
        loads.push({ operation, connections, directMicros, ...factsOf(result) });
      }
    }
    return loads;
  } finally {
    await service.stop();
  }
}

function factsOf({
  requests: sent,
  latency,
  duration,
  errors,
  non2xx,
  connections,
}: autocannon.Result) {
  const requestsPerSecond = sent.total / duration;
  return {
    requestsPerSecond,
    percentiles: { p50: latency.p50, p90: latency.p90, p99: latency.p99 },
    failures: errors + non2xx,
    // autocannon's own latencies are whole milliseconds.
    meanMicros: (connections * 1_000_000) / requestsPerSecond,
  };
}

async function tokenOf({ tokenEndpoint }: LocalProcess): Promise<string> {
  const scope = operationNames.map((name) => operations[name].scope).join(' ');
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
  const response = await fetch(tokenEndpoint, { method: 'POST', body });
  const { access_token: token } = Object(await response.json());
  return String(token);
}

function load(
  operation: OperationName,
  token: string,
  { baseUrl }: LocalProcess,
  options: { connections: number; duration: number },
): Promise<autocannon.Result> {
  return autocannon({
    ...options,
    url: baseUrl,
    requests: requests[operation].map((request) => {
      const { rawPath, headers, body, requestContext } = eventOf(operations[operation], {
        ...request,
        token,
      });
      const { host, ...others } = headers;
      return {
        method: requestContext.http.method === 'GET' ? 'GET' : 'PATCH',
        path: rawPath,
        headers: others,
        ...(body !== undefined && { body }),
      };
    }),
  });
}

/** The mean time of a call to the built function, in a process that has no gateway. */
async function callDirectly(
  operation: OperationName,
  token: string,
  { databaseEndpoint, issuer, tableName }: LocalProcess,
): Promise<number> {
  const subject = await startProcess(bundleOf('ours', operation), {
    ...lambdaVariables(operation),
    AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
    TABLE_NAME: tableName,
    ISSUER: issuer,
    AUDIENCE,
    TENANT_CLAIM,
  });
  const events = requests[operation].map((request) =>
    eventOf(operations[operation], { ...request, token }),
  );
  await subject.succeed({ events, times: DIRECT_CALLS });
  const { wallMicros } = await subject.succeed({ events, times: DIRECT_CALLS });
  await subject.stop();
  return wallMicros / DIRECT_CALLS;
}
