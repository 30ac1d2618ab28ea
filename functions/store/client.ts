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
 * Creates a function's DynamoDB client. The client makes one attempt of each request. `withRetries` makes the further
 * attempts, because the caller must know the outcome of every attempt. The client gets a value for each setting that it
 * uses. The bundles do not contain the SDK's modules that look for missing settings in files
 * (`infra/bundle/replaced-modules.ts`).
 *
 * Whenever the client signs a request, it reads the credentials from the environment variables. The client never
 * refreshes the credentials, because Lambda replaces an execution environment before the environment's credentials
 * expire.
 */
export function documentClient(
  { region, endpoint }: Pick<Environment, 'region' | 'endpoint'>,
  requestHandler: HttpRequestHandler,
  clock: Clock,
): Pick<Dependencies, 'client' | 'awsNow'> {
  const url = new URL(endpoint);
  const credentials = fromEnv();
  // All requests share one signer. By default, the SDK creates a new signer for each request.
  const signature = new SignatureV4({ credentials, region, service: 'dynamodb', sha256: Sha256 });
  /**
   * The difference between DynamoDB's clock and the function's clock, in milliseconds. Positive if DynamoDB's clock is
   * ahead.
   */
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
    // Turn off the SDK's own correction of the clock. The signer above uses `awsNow`, which corrects the clock.
    disableClockSkewCorrection: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  });
  // The transport sets the `user-agent` header. A bundle lacks the code that this middleware needs, because the build
  // replaces the module (infra/bundle/replaced-modules.ts).
  client.middlewareStack.remove('getUserAgentMiddleware');
  // This middleware would send the trace headers of the invocation, such as `baggage`, to DynamoDB.
  client.middlewareStack.remove('recursionDetectionMiddleware');
  // This middleware replaces the SDK's retry middleware, and measures the difference between the clocks. The middleware
  // must have the name `retryMiddleware`, because the SDK places other middlewares relative to this name.
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
      // Convert every number to a JavaScript number. By default, the SDK converts large numbers to BigInt, which
      // `JSON.stringify` rejects.
      unmarshallOptions: { wrapNumbers: Number },
    }),
    awsNow,
  };
}
