import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Operation } from '../contract/operation.ts';
import type { Environment } from './env.ts';
import type { FunctionResponse, Invocation } from './invocation.ts';
import type { Log } from './logger.ts';
import type { Clock, Timer } from './moment.ts';

/** What the operations need. `start` builds it. */
export interface Dependencies {
  environment: Environment;
  /** Verifies with the issuer's keys, and once more with newer ones if the signature does not match. */
  withKeys<T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>): Promise<T>;
  client: DynamoDBDocumentClient;
  /** The time for signatures: by this clock, unless DynamoDB has rejected a request for its time. */
  awsNow(): Date;
  log: Log;
  clock: Clock;
  timer: Timer;
}

/** What Lambda calls. A method, because its parameters may be narrower: the middlewares add what it needs. */
export type Handler = {
  handle(
    event: Invocation,
    context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<FunctionResponse>;
}['handle'];

/** What an operation's file exports. */
export interface OperationModule {
  contract: Operation;
  createHandler(dependencies: Dependencies): Handler;
  /** The request that is handled before the first, so that the code is compiled. */
  priming: {
    event: Pick<Invocation, 'pathParameters' | 'body'>;
    /** DynamoDB's response to it, as the JSON of its API has it. */
    response: object;
  };
}
