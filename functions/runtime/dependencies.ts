import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import type { JWTVerifyGetKey } from 'jose';
import type { Environment } from './env.ts';
import type { Reply } from './invocation.ts';
import type { Log } from './logger.ts';
import type { Clock, Timer } from './moment.ts';

/** What the operations need. `start` builds it. */
export interface Dependencies {
  environment: Environment;
  /** Finds the key that signed a token. */
  findKey: JWTVerifyGetKey;
  client: DynamoDBDocumentClient;
  log: Log;
  clock: Clock;
  timer: Timer;
}

/** What the stores need. */
export interface StoreDependencies<Settings extends keyof Environment>
  extends Pick<Dependencies, 'client' | 'clock' | 'timer'> {
  environment: Pick<Environment, Settings>;
}

/** What Lambda calls, with an `Invocation` to which the middlewares add what those after them need. */
export type Handler = (event: never, context: Context) => Promise<Reply>;

/** What an operation's file exports. */
export interface OperationModule {
  createHandler(dependencies: Dependencies): Handler;
  /** What is run once before the first request, so that its code is compiled. */
  priming: Priming;
}

export interface Priming {
  /** The operation's name in the log. */
  operation: string;
  /** The validators of a request, each with an example that it accepts. */
  examples: readonly (readonly [validate: Validator<unknown>, example: unknown])[];
  /** DynamoDB's response to each request of the priming, as the JSON of its API has it. */
  response: object;
  /** The costly rest of a request, on a client whose requests are answered within the process. */
  run(dependencies: Dependencies, signal: AbortSignal): Promise<void>;
}
