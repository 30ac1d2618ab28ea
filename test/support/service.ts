import { afterAll, beforeAll, vi } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/contract/operations.ts';
import { bundleFolder } from '../../infra/bundle/bundles.ts';
import { conforming } from './contract.ts';
import { type Answer, type Handler, invoke, type TestRequest } from './invoke.ts';
import { AUDIENCE, TestIssuer } from './issuer.ts';
import { type CapturedLog, captureLog } from './log.ts';
import { FaultyProxy } from './proxy.ts';
import { validRequest } from './requests.ts';
import { createTestTable, type TestTable } from './table.ts';
import { type TimeLimit, useLongTimeLimits } from './time-limits.ts';

const OPTIONAL = ['JWKS_URI', 'SCOPE_PREFIX', 'TENANT_CLAIM', 'TRANSITION_POLICY'];

/** The name of a function in tests: the id of its operation. */
export type FunctionName = (typeof operations)[OperationName]['operationId'];

/** The names of all functions. */
export const functionNames: readonly FunctionName[] = operationNames.map(
  (name) => operations[name].operationId,
);

/** The functions, each called as API Gateway calls it; every answer is held to the contract. */
export type Functions = Record<FunctionName, (request?: TestRequest) => Promise<Answer>>;

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
  return functionsOf(backends, loadSource);
}

/** Loads the read alone: each function fetches the issuer's keys when it starts. */
export async function loadRead(
  backends: Backends,
  variables: Readonly<Record<string, string>> = {},
): Promise<Functions['getApplication']> {
  renewEnvironment(backends, variables);
  const name = 'get-application';
  return caller((await loadSource(name)).handler, operations[name], backends.issuer);
}

/** The same of the bundles, as they are deployed. */
export async function loadBundles(backends: Backends): Promise<Functions> {
  renewEnvironment(backends, {});
  return functionsOf(backends, (name) => import(`${bundleFolder(name)}/index.mjs`));
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

/** Loads the module of an operation's entry. */
type Load = (name: OperationName) => Promise<{ handler: Handler }>;

/** Loads the source of an entry. */
export const loadSource: Load = (name) => import(`../../functions/${name}.ts`);

async function functionsOf({ issuer }: Backends, load: Load): Promise<Functions> {
  const loading = operationNames.map(async (name) => {
    const { handler } = await load(name);
    return [operations[name].operationId, caller(handler, operations[name], issuer)] as const;
  });
  return Object.fromEntries(await Promise.all(loading)) as Functions;
}

/**
 * Sends valid requests, except for what a test says of them. One that has its token is sent
 * at once: a busy machine takes its time to sign another.
 */
const caller =
  (handler: Handler, operation: Operation, issuer: TestIssuer) =>
  async (request: TestRequest = {}) => {
    const valid = validRequest(operation);
    const token = 'token' in request ? request.token : await issuer.mint();
    const headers = { ...valid.headers, ...request.headers };
    return conforming(
      operation,
      await invoke(handler, operation, { ...valid, ...request, token, headers }),
    );
  };
