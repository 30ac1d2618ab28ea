import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest, RequestSigningArguments, SdkError } from '@smithy/types';
import type { Dependencies } from '../runtime/dependencies.ts';
import type { Environment } from '../runtime/env.ts';
import type { Clock } from '../runtime/moment.ts';
import { isClockSkew } from './retries.ts';
import type { HttpRequestHandler } from './transport.ts';

/**
 * Creates a function's DynamoDB client. The client makes one attempt of each request. `withRetries` makes further
 * attempts, because the caller must know the outcome of every attempt. The client gets all settings as values,
 * because the SDK would read a missing setting from files at each cold start.
 *
 * The client reads the credentials from the environment variables whenever it signs a request. The client does not
 * refresh credentials, because Lambda replaces an execution environment before its credentials expire.
 */
export function documentClient(
  { region, endpoint }: Pick<Environment, 'region' | 'endpoint'>,
  requestHandler: HttpRequestHandler,
  clock: Clock,
): Pick<Dependencies, 'client' | 'awsNow'> {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  // All requests share one signer. By default, the SDK creates a signer for each request.
  const signature = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  /** The time by which DynamoDB's clock is ahead of the function's clock, in milliseconds. */
  let aheadMs = 0;
  const awsNow = () => new Date(clock().date + aheadMs);
  const signer = {
    sign: (request: HttpRequest, options?: RequestSigningArguments) =>
      signature.sign(request, { ...options, signingDate: awsNow() }),
  };
  const client = new DynamoDBClient({
    region,
    endpoint,
    endpointProvider: () => ({ url }),
    credentials,
    signer,
    requestHandler,
    defaultsMode: 'standard',
    accountIdEndpointMode: 'disabled',
    authSchemePreference: ['sigv4'],
    // The SDK would correct the skew of the process's clock. The signer corrects `clock` instead, with `awsNow`.
    disableClockSkewCorrection: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  for (const name of UNUSED_MIDDLEWARES) client.middlewareStack.remove(name);
  // This middleware replaces the SDK's retry middleware. It keeps the name `retryMiddleware`, because the SDK places
  // other middlewares relative to this name.
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error: SdkError) => {
        const date = Date.parse(String(error.$response?.headers.date));
        if (isClockSkew(error) && !Number.isNaN(date)) aheadMs = date - clock().date;
        throw error;
      }),
    { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high', override: true },
  );
  return {
    client: DynamoDBDocumentClient.from(client, {
      // By default, the SDK reads numbers beyond 2^53 as BigInt, which JSON cannot hold.
      unmarshallOptions: { wrapNumbers: Number },
    }),
    awsNow,
  };
}

/**
 * SDK middlewares that would slow down each request and do nothing here: the client has no logger, a write to the
 * table invokes no Lambda function, and the transport sets the user agent.
 */
const UNUSED_MIDDLEWARES = [
  'loggerMiddleware',
  'recursionDetectionMiddleware',
  'getUserAgentMiddleware',
];
