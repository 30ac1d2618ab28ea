import { HttpResponse } from '@smithy/core/protocols';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Dependencies, Priming } from '../runtime/dependencies.ts';
import { describeFailure } from '../runtime/logger.ts';
import { isoDate } from '../runtime/moment.ts';
import { documentClient } from '../store/client.ts';

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

/** @throws Error if a validator rejects its example: a priming that ends early must not pass unseen. */
async function primeValidators(examples: Priming['examples']): Promise<void> {
  if (!examples.every(([validate, example]) => validate(example))) {
    throw new Error('A validator rejects the example of the priming.');
  }
}

/**
 * Runs the costly parts of a first request, so that their code is compiled during init, for which Lambda
 * gives a function a full processor: the verification of a token, and what the operation names, with a
 * client whose requests are answered within the process. Never rejects: after a priming that fails, the
 * first request is slower, and the log says why.
 */
export async function prime(
  { operation, examples, response, run }: Priming,
  dependencies: Dependencies,
): Promise<void> {
  const { environment, log, clock } = dependencies;
  const body = Buffer.from(JSON.stringify(response));
  const answer = async () => ({ response: new HttpResponse({ statusCode: 200, body }) });
  const client = documentClient(environment, { handle: answer }, clock);
  try {
    await Promise.all([
      jwtVerify(TOKEN, createLocalJWKSet({ keys: [KEY] }), { currentDate: CURRENT_DATE }),
      primeValidators(examples),
      run({ ...dependencies, client }, new AbortController().signal),
    ]);
  } catch (error) {
    log({
      level: 'WARN',
      timestamp: isoDate(clock),
      operation,
      outcome: 'priming_failed',
      failure: describeFailure(error),
    });
  }
}
