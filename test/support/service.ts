import { inspect } from 'node:util';
import { afterAll, afterEach, inject } from 'vitest';
import type { Operation } from '../../functions/contract/operation.ts';
import {
  type OperationName,
  operationNames,
  operations,
} from '../../functions/operations/operations.ts';
import { type StartOptions, start } from '../../functions/start/start.ts';
import { conforming, validRequest } from './contract.ts';
import { type Handler, invoke, type Result, TEST_TIMEOUT_S, type TestRequest } from './invoke.ts';
import { AUDIENCE, TestIssuer } from './issuer.ts';
import { type CapturedLog, keepLog } from './log.ts';
import { FaultyProxy } from './proxy.ts';
import { createTestTable, type TestTable } from './table.ts';
import { longLimits } from './time.ts';

type Variables = Readonly<Record<string, string>>;

type FunctionName = (typeof operations)[OperationName]['operationId'];

/** Functions that get API Gateway's events; their responses are checked against the contract. */
export type Functions = Record<FunctionName, (request?: TestRequest) => Promise<Result>>;

interface Backends {
  table: TestTable;
  issuer: TestIssuer;
  proxy?: FaultyProxy;
  /** Options for `start`, except the environment variables. */
  options: StartOptions;
}

export interface Service extends Functions, Backends {
  log: CapturedLog;
}

/**
 * Starts an issuer and the functions, with their own table, for one suite. Await it in the suite's function, before you
 * declare the first test. The issuer stops with the suite. `options` override the tests' defaults.
 */
export const startService = (
  variables: Variables = {},
  options: StartOptions = {},
): Promise<Service> => startBackends(variables, options, undefined);

export async function startProxiedService(
  variables: Variables = {},
  options: StartOptions = {},
): Promise<Service & { proxy: FaultyProxy }> {
  const proxy = await FaultyProxy.start();
  return { ...(await startBackends(variables, options, proxy)), proxy };
}

async function startBackends(
  variables: Variables,
  overrides: StartOptions,
  proxy: FaultyProxy | undefined,
): Promise<Service> {
  const log: CapturedLog = keepLog();
  const limits = { ...longLimits };
  const options = { log: log.write, limits, ...overrides };
  const [table, issuer] = await Promise.all([createTestTable(), TestIssuer.start()]);
  afterAll(() => Promise.all([issuer.stop(), proxy?.stop()]));
  // Responses with 5xx hide their cause, so a failed test prints it.
  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    const causes = log.lines.flatMap(({ failure }) => failure ?? []).slice(-3);
    for (const cause of causes) process.stderr.write(`${task.name}: ${inspect(cause, false, 9)}\n`);
  });
  const backends = { table, issuer, options, ...(proxy && { proxy }) };
  return { ...backends, log, ...(await loadFunctions(backends, variables)) };
}

export function loadFunctions(backends: Backends, variables: Variables = {}): Promise<Functions> {
  return functionsOf(backends, (name) => loadHandler(backends, name, variables));
}

export const variablesOf = ({ table, issuer, proxy }: Backends, variables: Variables) => ({
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_DYNAMODB: proxy?.url ?? inject('databaseEndpoint'),
  TABLE_NAME: table.name,
  ISSUER: issuer.url,
  AUDIENCE,
  TIMEOUT_S: String(TEST_TIMEOUT_S),
  ...variables,
});

async function loadHandler(
  backends: Backends,
  name: OperationName,
  variables: Variables = {},
): Promise<Handler> {
  const operation = await import(`../../functions/operations/${name}/handler.ts`);
  const options = { ...backends.options, variables: variablesOf(backends, variables) };
  return (await start(operation, options)) as Handler;
}

export async function functionsOf(
  { issuer }: Pick<Backends, 'issuer'>,
  load: (name: OperationName) => Promise<Handler>,
): Promise<Functions> {
  const loading = operationNames.map(
    async (name) =>
      [operations[name].operationId, caller(await load(name), operations[name], issuer)] as const,
  );
  return Object.fromEntries(await Promise.all(loading)) as Functions;
}

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
