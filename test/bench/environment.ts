import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { operations } from '../../functions/contract/operations.ts';
import { MEMORY_SIZE_MB } from '../../infra/stack/function.ts';
import { eventOf } from '../support/invoke.ts';
import { credentials } from '../support/signature.ts';
import { bundleOf, type Contender, driver, type MeasuredOperation } from './contenders.ts';
import type { Command, Outcome } from './driver.ts';
import { CANDIDATE, JOB } from './items.ts';
import { AUDIENCE, type Stub } from './stub.ts';

/** The flags with which public copies of Lambda's bootstrap start Node.js for this memory size. */
const FLAGS = [
  '--expose-gc',
  '--max-http-header-size=81920',
  `--max-semi-space-size=${Math.round(MEMORY_SIZE_MB * 0.05)}`,
  `--max-old-space-size=${Math.floor(MEMORY_SIZE_MB * 0.9)}`,
];

/** What is measured: a contender's operation, on a candidate's application, with so many keys in the JWKS. */
export interface Subject {
  contender: Contender;
  operation: MeasuredOperation;
  candidate?: string;
  keys?: number;
}

/** A handler in a process of its own, which loads the bundle at the first call. */
export interface Environment {
  /** Calls the handler: once, and without collecting garbage, unless the command says otherwise. */
  call(command: Pick<Command, 'event'> & Partial<Command>): Promise<Outcome>;
  /**
   * Calls it with a request that succeeds.
   * @throws Error if a reply is not a 200, which costs less and is no measurement.
   */
  measure(command?: Partial<Command>): Promise<Outcome>;
  /** Ends the process, and gives the last line of its log. */
  stop(): Promise<string>;
}

/** Starts the process of a contender. */
export function startEnvironment(subject: Subject, stub: Stub): Environment {
  const { contender, operation, candidate } = subject;
  const child = spawn(process.execPath, [...FLAGS, driver, bundleOf(contender, operation)], {
    env: variablesOf(subject, stub),
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const closed = once(child, 'close');
  let log = '';
  child.stdout?.on('data', (chunk) => {
    log = (log + chunk).slice(-8192);
  });
  const channel = child.stdio[3] as Duplex;
  const outcomes = createInterface({ input: channel })[Symbol.asyncIterator]();
  const event = eventFor(operation, stub.tokens.valid, { candidate_id: candidate });
  const environment: Environment = {
    async call(command) {
      channel.write(`${JSON.stringify({ times: 1, collect: false, ...command })}\n`);
      const { value, done } = await outcomes.next();
      if (done) throw new Error(`The process of ${contender}, ${operation}, has ended.`);
      return JSON.parse(value);
    },
    async measure(command) {
      const outcome = await environment.call({ event, ...command });
      const { statusCode, body } = outcome.reply;
      if (statusCode !== 200) throw new Error(`${contender} answered ${statusCode}: ${body}`);
      return outcome;
    },
    async stop() {
      channel.end();
      await closed;
      return log.trimEnd().split('\n').at(-1) ?? '';
    },
  };
  return environment;
}

/** A request, as API Gateway passes it on. */
export function eventFor(
  operation: MeasuredOperation,
  token: string,
  { id = JOB, candidate_id = CANDIDATE }: { id?: string; candidate_id?: string | undefined } = {},
): APIGatewayProxyEventV2 {
  const input =
    operation === 'get-application'
      ? { pathParameters: { id, candidate_id } }
      : {
          pathParameters: { id },
          headers: { 'content-type': 'application/json' },
          body: { status: 'published' },
        };
  return eventOf(operations[operation], { token, requestId: 'ClcJhcAM4uuMCRT1', ...input });
}

/**
 * The variables of a function as Lambda and the stack set them, pointed at the stub
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html).
 */
const variablesOf = ({ operation, keys = 1 }: Subject, stub: Stub): Record<string, string> => ({
  ...credentials,
  AUDIENCE,
  AWS_ENDPOINT_URL_DYNAMODB: stub.databaseUrl,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MEMORY_SIZE_MB),
  AWS_LAMBDA_FUNCTION_NAME: operation,
  AWS_REGION: 'us-east-1',
  // As on Lambda, there is nothing: the SDK must not read this machine's shared configuration.
  HOME: '/home/sbx_user1051',
  ISSUER: stub.issuerUrl,
  JWKS_URI: `${stub.issuerUrl}/jwks/${keys}`,
  LANG: 'en_US.UTF-8',
  NODE_EXTRA_CA_CERTS: stub.certificateFile,
  PATH: '/usr/local/bin:/usr/bin/:/bin',
  TABLE_NAME: 'recruitment',
  TZ: ':UTC',
});
