import { afterAll, beforeAll, vi } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import { type OperationName, operations } from '../../functions/contract/operations.ts';
import { bundleFolder } from '../../infra/bundle/bundles.ts';
import { conforming } from './contract.ts';
import { type Answer, type Handler, invoke, type TestRequest } from './invoke.ts';
import { AUDIENCE, TestIssuer } from './issuer.ts';
import { type CapturedLog, captureLog } from './log.ts';
import { FaultyProxy } from './proxy.ts';
import { createTestTable, type TestTable } from './table.ts';
import { type TimeLimit, useLongTimeLimits } from './time-limits.ts';

const OPTIONAL = ['JWKS_URI', 'SCOPE_PREFIX', 'TENANT_CLAIM', 'TRANSITION_POLICY'];

/** The two functions, each called as API Gateway calls it; every answer is held to the contract. */
export interface Functions {
  getApplication(request?: TestRequest): Promise<Answer>;
  updateJobStatus(request?: TestRequest): Promise<Answer>;
}

/** What the functions stand on. */
export interface Backends {
  table: TestTable;
  issuer: TestIssuer;
}

export interface Service extends Functions, Backends {
  log: CapturedLog;
}

/**
 * Starts, for the tests of a file, a table of their own in the embedded database, an issuer of their
 * own and the functions. What it returns is complete when the first test runs.
 * @param real the time limits that the tests are about; the others are long.
 */
export function useService(
  variables: Readonly<Record<string, string>> = {},
  real: readonly TimeLimit[] = [],
): Service {
  const service = { log: captureLog() } as Service;
  useLongTimeLimits(real);
  beforeAll(async () => {
    [service.table, service.issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
    Object.assign(service, await loadFunctions(service, variables));
  });
  afterAll(() => service.issuer.stop());
  return service;
}

/**
 * The same, with a proxy between the functions and the database that can spoil their requests.
 * @param real by default the limits of the database.
 */
export function useProxiedService(
  variables: Readonly<Record<string, string>> = {},
  real: readonly TimeLimit[] = ['database'],
): Service & { proxy: FaultyProxy } {
  const service = useService(variables, real) as Service & { proxy: FaultyProxy };
  beforeAll(async () => {
    service.proxy = await FaultyProxy.start();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = service.proxy.url;
    Object.assign(service, await loadFunctions(service, variables));
  });
  afterAll(() => service.proxy.stop());
  return service;
}

/** Turns on the stream of a service's table, for the tests of a file that read it. */
export function useStream(service: Pick<Service, 'table'>): void {
  beforeAll(() => service.table.enableStream());
}

/** Loads the functions again, as a cold start does, in an environment with these variables. */
export async function loadFunctions(
  backends: Backends,
  variables: Readonly<Record<string, string>> = {},
): Promise<Functions> {
  renewEnvironment(backends, variables);
  const [getApplication, updateJobStatus] = await Promise.all([
    readOf(backends),
    updateOf(backends),
  ]);
  return { getApplication, updateJobStatus };
}

/** Loads the read alone: each function fetches the issuer's keys when it starts. */
export function loadRead(
  backends: Backends,
  variables: Readonly<Record<string, string>> = {},
): Promise<Functions['getApplication']> {
  renewEnvironment(backends, variables);
  return readOf(backends);
}

/** The same of the bundles, as they are deployed. */
export async function loadBundles(backends: Backends): Promise<Functions> {
  renewEnvironment(backends, {});
  const bundle = (name: OperationName) => import(`${bundleFolder(name)}/index.mjs`);
  const [read, update] = await Promise.all([
    bundle('get-application'),
    bundle('update-job-status'),
  ]);
  return {
    getApplication: getApplicationBy(read.handler, backends),
    updateJobStatus: updateJobStatusBy(update.handler, backends),
  };
}

function renewEnvironment(
  { table, issuer }: Backends,
  variables: Readonly<Record<string, string>>,
): void {
  for (const name of OPTIONAL) delete process.env[name];
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    ISSUER: issuer.url,
    AUDIENCE,
    ...variables,
  });
  vi.resetModules();
}

async function readOf(backends: Backends) {
  const { handler } = await import('../../functions/get-application.ts');
  return getApplicationBy(handler as unknown as Handler, backends);
}

async function updateOf(backends: Backends) {
  const { handler } = await import('../../functions/update-job-status.ts');
  return updateJobStatusBy(handler as unknown as Handler, backends);
}

const getApplicationBy = (handler: Handler, { issuer }: Backends) =>
  caller(handler, operations['get-application'], issuer, {
    pathParameters: { id: 'j-1', candidate_id: 'c-1' },
  });

const updateJobStatusBy = (handler: Handler, { issuer }: Backends) =>
  caller(handler, operations['update-job-status'], issuer, {
    pathParameters: { id: 'j-1' },
    headers: { 'content-type': 'application/json' },
    body: { status: 'published' },
  });

/**
 * Sends requests that are proper, except for what a test says of them. One that has its token is sent
 * at once: a busy machine takes its time to sign another.
 */
const caller =
  (handler: Handler, operation: Operation, issuer: TestIssuer, proper: TestRequest) =>
  async (request: TestRequest = {}) => {
    const token = 'token' in request ? request.token : await issuer.mint();
    const headers = { ...proper.headers, ...request.headers };
    return conforming(
      operation,
      await invoke(handler, operation, { ...proper, ...request, token, headers }),
    );
  };
