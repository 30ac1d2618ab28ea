import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { operations } from '../../functions/operations/operations.ts';
import { MEMORY_SIZE_MB } from '../../infra/stack/function.ts';
import { validRequest } from '../support/contract.ts';
import { credentials } from '../support/credentials.ts';
import { eventOf, type TestRequest } from '../support/invoke.ts';
import { AUDIENCE } from '../support/issuer.ts';
import { type Contender, certificateFile, driver, type MeasuredOperation } from './contenders.ts';
import type { Command, Measurement } from './driver.ts';
import type { Stub } from './stub.ts';

/** Node.js options that Lambda's bootstrap script sets at this memory size, taken from public copies of the script. */
const FLAGS = [
  '--expose-gc',
  '--max-http-header-size=81920',
  `--max-semi-space-size=${Math.round(MEMORY_SIZE_MB * 0.05)}`,
  `--max-old-space-size=${Math.floor(MEMORY_SIZE_MB * 0.9)}`,
];

export type Environment = ReturnType<typeof startEnvironment>;

export function startEnvironment(
  { label, bundle }: Contender,
  operation: MeasuredOperation,
  stub: Stub,
) {
  const child = spawn(process.execPath, [...FLAGS, driver, bundle(operation)], {
    env: variablesOf(operation, stub),
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const closed = once(child, 'close');
  const channel = child.stdio[3] as Duplex;
  const outcomes = createInterface({ input: channel })[Symbol.asyncIterator]();
  const event = eventFor(operation, stub.tokens.valid);
  return {
    /**
     * Sends one valid request by default.
     * @throws Error if the process has ended or the request fails: failures are faster, and would distort the results.
     */
    async call(command: Partial<Command> = {}) {
      channel.write(`${JSON.stringify({ event, times: 1, ...command })}\n`);
      const { value, done } = await outcomes.next();
      if (done) throw new Error(`The process of ${label}, ${operation}, has ended.`);
      const outcome: Measurement = JSON.parse(value);
      const { statusCode, body } = outcome.response;
      if (statusCode === 200 || command.event) return outcome;
      throw new Error(`${label} responded with ${statusCode}: ${body}`);
    },
    async stop() {
      channel.end();
      await closed;
    },
  };
}

export const eventFor = (name: MeasuredOperation, token: string, request: TestRequest = {}) =>
  eventOf(operations[name], { ...validRequest(operations[name]), token, ...request });

/** As Lambda (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html) and the stack would set them. */
const variablesOf = (operation: MeasuredOperation, stub: Stub): Record<string, string> => ({
  ...credentials,
  AUDIENCE,
  AWS_ENDPOINT_URL_DYNAMODB: stub.databaseUrl,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_SIZE_MB),
  AWS_LAMBDA_FUNCTION_NAME: operation,
  AWS_REGION: 'us-east-1',
  // Does not exist here, so the SDK cannot read this machine's configuration.
  HOME: '/home/sbx_user1051',
  ISSUER: stub.issuerUrl,
  JWKS_URI: `${stub.issuerUrl}/jwks`,
  NODE_EXTRA_CA_CERTS: certificateFile,
  TABLE_NAME: 'recruitment',
});
