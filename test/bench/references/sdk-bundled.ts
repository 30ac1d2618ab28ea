import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { NodeHttpHandler, streamCollector } from '@smithy/node-http-handler';
import { readHandler, updateHandler, variable } from './http.ts';
import { readingWith, settingWith } from './store.ts';
import { keysByHttps, verifier } from './token.ts';

const endpoint = variable('AWS_ENDPOINT_URL_DYNAMODB');
const url = new URL(endpoint);
/** Every setting is given, because our bundle replaces the code that would find it. */
const client = new DynamoDBClient({
  region: variable('AWS_REGION'),
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
const subjectOf = verifier(keysByHttps());

export const getApplication = /* @__PURE__ */ readHandler(
  subjectOf,
  /* @__PURE__ */ readingWith(client),
);
export const updateJobStatus = /* @__PURE__ */ updateHandler(
  subjectOf,
  /* @__PURE__ */ settingWith(client),
);
