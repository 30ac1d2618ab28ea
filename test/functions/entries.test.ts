import { readdirSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { operationNames, operations } from '../../functions/operations/operations.ts';
import { captureLog } from '../support/log.ts';
import { startService, variablesOf } from '../support/service.ts';

const service = await startService();
const log = captureLog();
afterEach(() => {
  vi.unstubAllEnvs();
});

it('each operation has an entry file, and there is no other', () => {
  const entries = readdirSync('functions').filter((name) => name.endsWith('.ts'));
  expect(operationNames.map((name) => `${name}.ts`).toSorted()).toEqual(entries.toSorted());
});

it.each(operationNames)(
  '%s starts its own operation with the environment of its process',
  async (name) => {
    for (const [variable, value] of Object.entries(variablesOf(service, {}))) {
      vi.stubEnv(variable, value);
    }
    const { handler } = await import(`../../functions/${name}.ts`);
    const context = { awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => 6000 };
    const response = await handler({}, context);
    expect(response).toMatchObject({
      statusCode: 401,
      headers: { 'X-Request-Id': 'invocation-1' },
    });
    // Even an invocation by something other than API Gateway is logged.
    const { operationId: operation } = operations[name];
    expect(log.lines.at(-1)).toMatchObject({
      operation,
      request_id: 'invocation-1',
      outcome: 'unauthenticated',
    });
  },
);
