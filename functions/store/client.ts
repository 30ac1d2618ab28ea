import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { SignatureV4 } from '@smithy/signature-v4';
import type { FinalizeHandler, SdkError } from '@smithy/types';
import { Problem, problemTypes } from '../contract/problem.ts';
import { timeIsUp } from '../runtime/time-limit.ts';
import { type HttpRequestHandler, wasNeverSent } from './transport.ts';

/** Where DynamoDB is. */
export interface Database {
  region: string;
  /** The address of DynamoDB. */
  endpoint: string;
}

/**
 * Makes the DynamoDB client of a function: at most 3 attempts, so that the worst case stays within the
 * function's time-out; the SDK's own default waits for minutes. Every setting is given, because the SDK
 * reads those that are missing from files at each cold start.
 *
 * The credentials are read from the environment whenever a request is signed. Lambda replaces an
 * execution environment before its credentials expire.
 */
export function documentClient(
  { region, endpoint }: Database,
  requestHandler: HttpRequestHandler,
): DynamoDBDocumentClient {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  const client = new DynamoDBClient({
    region,
    endpoint,
    endpointProvider: () => ({ url }),
    credentials,
    // One for all requests: without it, the SDK makes one for each.
    signer: new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 }),
    requestHandler,
    maxAttempts: 3,
    retryMode: 'standard',
    defaultsMode: 'standard',
    accountIdEndpointMode: 'disabled',
    authSchemePreference: ['sigv4'],
    disableClockSkewCorrection: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  for (const name of UNUSED_MIDDLEWARES) client.middlewareStack.remove(name);
  client.middlewareStack.addRelativeTo(keepAnswers, {
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
  return DynamoDBDocumentClient.from(client, {
    // By default, numbers beyond 2^53 become BigInt, which JSON cannot hold.
    unmarshallOptions: { wrapNumbers: Number },
  });
}

/**
 * Middlewares of the SDK that have no effect here and would take time for each request: no logger is
 * given, nothing that is written to DynamoDB invokes a function, and the transport has the user agent.
 */
const UNUSED_MIDDLEWARES = [
  'loggerMiddleware',
  'recursionDetectionMiddleware',
  'getUserAgentMiddleware',
];

/**
 * Keeps the SDK from sending a request again after an answer. If the clock is more than 4 minutes off,
 * it corrects it after any error, marks the error as transient and retries: right for a signature that
 * the wrong clock made; wrong for a refused condition, which does not depend on the clock, and for the
 * signature of a wrong key.
 */
function keepAnswers<Input extends object, Output extends object>(
  next: FinalizeHandler<Input, Output>,
): FinalizeHandler<Input, Output> {
  return (attempt) =>
    next(attempt).catch((error: SdkError) => {
      if (isRejection(error) && !isOfClock(error)) {
        Object.assign(error.$metadata, { clockSkewCorrected: false });
      }
      throw error;
    });
}

/** The errors of AWS for a signature of another time (AWS Signature Version 4). */
const CLOCK_ERRORS = ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'];

/** The errors for any wrong signature tell by their message if the time is wrong. */
const isOfClock = ({ name, message }: SdkError) =>
  CLOCK_ERRORS.includes(name) || /^Signature (?:expired|not yet current)/.test(message);

/** What is known of the attempts of a request. */
export interface Attempts {
  /** Whether DynamoDB may have applied one of them, or may still apply it. */
  mayBeApplied: boolean;
}

/** Follows the attempts that the SDK makes of a command, which is sent once. */
export function trackAttempts(command: UpdateCommand): Attempts {
  const attempts = { mayBeApplied: false };
  const track =
    <Input extends object, Output extends object>(
      next: FinalizeHandler<Input, Output>,
    ): FinalizeHandler<Input, Output> =>
    (attempt) =>
      next(attempt).catch((error: SdkError) => {
        attempts.mayBeApplied ||= !isRejection(error) && !wasNeverSent(error);
        throw error;
      });
  command.middlewareStack.add(track, { step: 'finalizeRequest', priority: 'low' });
  return attempts;
}

/**
 * Whether it is an answer of DynamoDB that it has not applied the request: an error of status 400 that
 * has a name, such as a refused condition or throttling, or an item that is too large or too deep to
 * read. A gateway's other errors of the client prove nothing.
 */
const isRejection = (error: SdkError): error is SdkError & { $metadata: object } =>
  error.$metadata?.httpStatusCode === 400 &&
  ('$fault' in error ? error.name !== 'Unknown' : error instanceof RangeError);

/**
 * Translates an error of a request to DynamoDB that has not changed anything.
 * @returns Problem `unavailable` if DynamoDB is slow, throttling, down or its response is garbled; other
 *   errors unchanged, because they are a fault of the service or of its deployment.
 */
export function translateError(error: unknown): unknown {
  if (!isSdkError(error)) return error;
  if (error.name === 'AbortError') return timeIsUp(error);
  return isTemporary(error) ? databaseUnavailable(error) : error;
}

/** The problem if DynamoDB does not respond, or its response cannot be read. */
export const databaseUnavailable = (cause?: unknown) =>
  new Problem('unavailable', {
    detail: problemTypes.unavailable.detail.database,
    cause,
  });

const isSdkError = (error: unknown): error is SdkError => error instanceof Error;

const isTemporary = (error: SdkError) =>
  isThrottlingError(error) || isTransientError(error) || isServerError(error) || isGarbled(error);

/**
 * A response that is not JSON, HTTP or TLS, or an error without a name: from a broken proxy or half a
 * connection.
 */
const isGarbled = (error: SdkError & { code?: unknown }) =>
  error instanceof SyntaxError ||
  error.name === 'Unknown' ||
  (typeof error.code === 'string' && /^(HPE_|EPROTO$)/.test(error.code));
