import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Operation } from '../contract/operation.ts';
import type { Environment } from './env.ts';
import type { FunctionResponse, Invocation } from './invocation.ts';
import type { Log } from './logger.ts';
import type { Clock, Timer } from './moment.ts';

/** The dependencies of the operations. `start` creates them. */
export interface Dependencies {
  environment: Environment;
  /**
   * Runs `verify` with the issuer's keys. If these keys do not verify the token, runs `verify` once more with newer
   * keys.
   */
  withKeys<T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>): Promise<T>;
  client: DynamoDBDocumentClient;
  /**
   * Returns the current time for signing requests to AWS. If DynamoDB has rejected the time of a signature, the result
   * is corrected by the difference between DynamoDB's clock and the function's clock.
   */
  awsNow(): Date;
  log: Log;
  clock: Clock;
  timer: Timer;
}

/**
 * The function that Lambda calls. The type is declared as a method, because TypeScript allows a method to have narrower
 * parameters than its declaration. An operation's handler needs a narrower `event`, because middlewares add members to
 * the event.
 */
export type Handler = {
  handle(
    event: Invocation,
    context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<FunctionResponse>;
}['handle'];

/** The exports of a file in `functions/operations/`. */
export interface OperationModule {
  contract: Operation;
  createHandler(dependencies: Dependencies): Handler;
  /** The sample request that the operation handles during init, so that Node.js compiles the code. */
  priming: {
    event: Pick<Invocation, 'pathParameters' | 'body'>;
    /** DynamoDB's response to the sample request, in the JSON format of the DynamoDB API. */
    response: object;
  };
}
