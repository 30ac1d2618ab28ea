import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Operation } from '../contract/operation.ts';
import type { Environment } from './env.ts';
import type { FunctionResponse, Invocation } from './invocation.ts';
import type { Log } from './logger.ts';
import type { Clock, Timer } from './moment.ts';

/** The dependencies of the operations. `start` builds them. */
export interface Dependencies {
  environment: Environment;
  /** Runs `verify` with the issuer's keys. If these keys do not verify the token, tries once more with newer keys. */
  withKeys<T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>): Promise<T>;
  client: DynamoDBDocumentClient;
  /** Returns the time for signing requests: the clock's time, corrected once DynamoDB has rejected a signature's time. */
  awsNow(): Date;
  log: Log;
  clock: Clock;
  timer: Timer;
}

/**
 * The function that Lambda calls. The type is the type of a method, because an implementation of a method may have
 * narrower parameters. Operations need narrower parameters, because middlewares add members to the invocation.
 */
export type Handler = {
  handle(
    event: Invocation,
    context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<FunctionResponse>;
}['handle'];

/** The exports of an operation's file. */
export interface OperationModule {
  contract: Operation;
  createHandler(dependencies: Dependencies): Handler;
  /** The sample request that is handled during init, so that the code is compiled. */
  priming: {
    event: Pick<Invocation, 'pathParameters' | 'body'>;
    /** DynamoDB's response to the sample request, in the JSON of DynamoDB's API. */
    response: object;
  };
}
