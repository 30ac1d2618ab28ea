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
 * Makes the DynamoDB client of a function, which makes one attempt of each request: `withRetries` makes the
 * others, because it must know the outcome of each. Every setting is given, because the SDK reads those
 * that are missing from files at each cold start.
 *
 * The credentials are read from the environment whenever a request is signed. Lambda replaces an
 * execution environment before its credentials expire.
 */
export function documentClient(
  { region, endpoint }: Pick<Environment, 'region' | 'endpoint'>,
  requestHandler: HttpRequestHandler,
  clock: Clock,
): Pick<Dependencies, 'client' | 'awsNow'> {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  // One for all requests: without it, the SDK makes one for each.
  const signature = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  /** How far DynamoDB's clock is ahead of this one, in milliseconds. */
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
    // It would go by the process's clock; the signer uses `awsNow`.
    disableClockSkewCorrection: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  for (const name of UNUSED_MIDDLEWARES) client.middlewareStack.remove(name);
  // One attempt, in place of the SDK's retries, under the name that other middlewares are placed next to.
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
      // By default, numbers beyond 2^53 become BigInt, which JSON cannot hold.
      unmarshallOptions: { wrapNumbers: Number },
    }),
    awsNow,
  };
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
