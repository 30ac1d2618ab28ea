import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { SignatureV4 } from '@smithy/signature-v4';
import type { FinalizeHandler, SdkError } from '@smithy/types';
import { Problem, problemTypes } from '../contract/problem.ts';
import type { Carrier } from './transport.ts';

/** Where the database is. */
export interface Database {
  region: string;
  /** The address of DynamoDB. */
  endpoint: string;
}

/**
 * The DynamoDB client of a function. 3 attempts at most, of a second each, so that the worst case
 * stays within the function's time; the SDK's own default waits for minutes. Every setting is given:
 * what is not, the SDK looks for in files, at each cold start.
 *
 * The credentials are those of the environment when a request is signed. Lambda gives an execution
 * environment new ones by replacing it.
 */
export function documentClient(
  { region, endpoint }: Database,
  carrier: Carrier,
): DynamoDBDocumentClient {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  const client = new DynamoDBClient({
    region,
    endpoint,
    endpointProvider: () => ({ url }),
    credentials,
    // One for all requests: the SDK would make one for each.
    signer: new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 }),
    requestHandler: carrier,
    maxAttempts: 3,
    retryMode: 'standard',
    defaultsMode: 'standard',
    accountIdEndpointMode: 'disabled',
    authSchemePreference: ['sigv4'],
    disableClockSkewCorrection: false,
    defaultUserAgentProvider: async () => [['recruitment-service']],
    userAgentAppId: '',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  client.middlewareStack.add(noteLostSendings, { step: 'finalizeRequest', priority: 'low' });
  return DynamoDBDocumentClient.from(client, {
    // Numbers beyond 2^53 would become BigInt, which JSON cannot hold.
    unmarshallOptions: { wrapNumbers: Number },
  });
}

const afterLostSendings = new WeakSet<object>();

/**
 * Whether the request that ended in `error` had been sent before in vain, without a word of
 * DynamoDB that it was not done: it may have been, or may be still.
 */
export const isAfterLostSending = (error: Error) => afterLostSendings.has(error);

/** Runs once for each sending of a request; the SDK resolves it anew for each request. */
function noteLostSendings<Input extends object, Output extends object>(
  next: FinalizeHandler<Input, Output>,
): FinalizeHandler<Input, Output> {
  let isLost = false;
  return (sending) =>
    next(sending).catch((error: SdkError) => {
      if (isLost) afterLostSendings.add(error);
      isLost ||= !isRefusal(error);
      throw error;
    });
}

/** A named error of status 400, such as throttling: DynamoDB has not done the request. */
const isRefusal = (error: SdkError) =>
  error.$metadata?.httpStatusCode === 400 && error.name !== 'Unknown';

/**
 * Awaits an answer of DynamoDB.
 * @throws Problem `unavailable` where it is slow, throttling, down or garbled; other errors as they
 *   are: those are faults of ours or of the deployment.
 */
export async function answerOf<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!isSdkError(error) || !isTemporary(error)) throw error;
    throw unanswered(error);
  }
}

/** The problem that the database has not answered, or not with an answer. */
export const unanswered = (cause?: unknown) =>
  new Problem('unavailable', {
    detail: problemTypes.unavailable.detail.database,
    retryAfter: 1,
    cause,
  });

const isSdkError = (error: unknown): error is SdkError => error instanceof Error;

const isTemporary = (error: SdkError) =>
  isThrottlingError(error) ||
  isTransientError(error) ||
  isServerError(error) ||
  error.name === 'AbortError' ||
  isGarbled(error);

/**
 * An answer that is no JSON, no HTTP or no TLS, or an error without a name, as a broken proxy or
 * half a connection gives.
 */
const isGarbled = (error: SdkError & { code?: unknown }) =>
  error instanceof SyntaxError ||
  error.name === 'Unknown' ||
  (typeof error.code === 'string' && /^(HPE_|EPROTO$)/.test(error.code));
