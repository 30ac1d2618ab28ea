import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { Problem } from '../contract/problem.ts';
import { describeFailure, log } from '../runtime/logger.ts';
import { type Database, documentClient } from '../store/client.ts';

/** The public key and the token of RFC 7515, appendix A.3, and a time at which the token is valid. */
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};
const TOKEN =
  'eyJhbGciOiJFUzI1NiJ9.' +
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.' +
  'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q';
const CURRENT_DATE = new Date('2011-03-22T00:00:00Z');

/**
 * Runs a validator once, so that its code is compiled during init.
 * @throws Error if it rejects `example`: a priming that ends early must not pass unseen.
 */
export function primeValidator<T>(validate: Validator<T>, example: unknown): void {
  if (!validate(example)) throw new Error('A validator rejects the example of the priming.');
}

/**
 * Runs the expensive parts of a first request, so that their code is compiled during init, for which
 * Lambda gives a function a full processor: the verification of a token, and what `run` does with a
 * client whose requests are answered within the process. Never rejects: after a priming that fails, the
 * first request is slower, and the log says why.
 * @param operation the operation's name in the log.
 * @param response DynamoDB's response to each request of the client, as the JSON of its API has it.
 */
export async function prime(
  operation: string,
  database: Database,
  response: object,
  run: (client: DynamoDBDocumentClient, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(response));
  const client = documentClient(database, {
    handle: async () => ({ response: new HttpResponse({ statusCode: 200, body }) }),
  });
  try {
    await Promise.all([
      jwtVerify(TOKEN, createLocalJWKSet({ keys: [KEY] }), { currentDate: CURRENT_DATE }),
      run(client, new AbortController().signal),
    ]);
  } catch (error) {
    log({
      level: 'WARN',
      timestamp: new Date().toISOString(),
      operation,
      outcome: 'priming_failed',
      failure: describeFailure(error, (failure) => failure instanceof Problem),
    });
  }
}
