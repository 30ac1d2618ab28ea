import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest, RequestSigningArguments, SdkError } from '@smithy/types';
import type { Clock } from '../platform/clock.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import type { Environment } from '../platform/environment.ts';
import { isClockSkew } from './retries.ts';
import type { HttpRequestHandler } from './transport.ts';

/**
 * Never retries: `withRetries` does, because the caller must know the outcome of each attempt.
 *
 * Every setting has a value: the bundles lack the SDK modules that would read missing ones from files
 * (`infra/stack/bundle/replaced-modules.ts`). Credentials do not need refreshing: Lambda replaces an execution
 * environment before they expire.
 */
export function documentClient(
  { region, endpoint }: Pick<Environment, 'region' | 'endpoint'>,
  requestHandler: HttpRequestHandler,
  clock: Clock,
): Pick<Dependencies, 'client' | 'awsNow'> {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  // One signer for all requests; the SDK would create one for each.
  const signature = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  /** Positive if DynamoDB's clock is ahead of the function's. */
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
    // `awsNow` corrects the clock instead.
    disableClockSkewCorrection: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  // The transport sets `user-agent`, and a bundle lacks the code that this middleware needs.
  client.middlewareStack.remove('getUserAgentMiddleware');
  // Would send the invocation's trace headers, such as `baggage`, to DynamoDB.
  client.middlewareStack.remove('recursionDetectionMiddleware');
  // Would copy each request and response for a log that nobody reads.
  client.middlewareStack.remove('loggerMiddleware');
  // Replaces the SDK's retries, and measures how far DynamoDB's clock is ahead. Keeps the name of the SDK's own
  // middleware, because the SDK places others relative to it.
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
      // By default, large numbers become BigInt, which `JSON.stringify` rejects.
      unmarshallOptions: { wrapNumbers: Number },
    }),
    awsNow,
  };
}
