import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { NodeHttpHandler, streamCollector } from '@smithy/node-http-handler';
import { readHandler, updateHandler } from './bare.ts';
import { keysByHttps } from './token.ts';

const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', AWS_REGION: region = '' } = process.env;
const url = new URL(endpoint);
/** Sets every option, because our bundling replaces the modules that would look options up. */
const client = new DynamoDBClient({
  region,
  endpoint,
  endpointProvider: () => ({ url }),
  credentials: fromEnv(),
  requestHandler: new NodeHttpHandler(),
  streamCollector,
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
const keys = keysByHttps();

export const getApplication = /* @__PURE__ */ readHandler(client, keys);
export const updateJobStatus = /* @__PURE__ */ updateHandler(client, keys);
