import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Operation } from '../contract/operation.ts';
import type { Clock, Timer } from './clock.ts';
import type { Environment } from './environment.ts';
import type { FunctionResponse, Invocation } from './invocation.ts';
import type { Log } from './log.ts';

export interface Dependencies {
  environment: Environment;
  verifyWithIssuerKeys<T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>): Promise<T>;
  client: DynamoDBDocumentClient;
  /** Time to sign with. Follows DynamoDB's clock once DynamoDB has rejected a signature because of its time. */
  awsNow(): Date;
  log: Log;
  clock: Clock;
  timer: Timer;
}

/** Declared as a method for its bivariant parameters: middlewares add members to the event. */
export type Handler = {
  handle(
    event: Invocation,
    context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<FunctionResponse>;
}['handle'];

/** What `functions/operations/<name>/handler.ts` exports. */
export interface OperationModule {
  contract: Operation;
  createHandler(dependencies: Dependencies): Handler;
  priming: {
    event: Pick<Invocation, 'pathParameters' | 'body'>;
    /** DynamoDB's response to the sample request, in the JSON of its API. */
    response: object;
  };
}
