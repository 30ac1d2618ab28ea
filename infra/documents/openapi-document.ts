import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { DescribedSchemas, Operation } from '../../functions/contract/operation.ts';
import { pathParameterSchemas } from '../../functions/contract/path-parameters.ts';
import { type ProblemCode, problemDefinitions } from '../../functions/contract/problem.ts';
import { IDENTIFIER_RULE } from '../../functions/domain/identifier.ts';
import { contracts } from '../../functions/operations/operations.ts';
import { componentHeaders, headersOfProblems, successHeaders } from './headers.ts';
import { outcomeUnknownExample, ProblemDocument, problemExample } from './problems.ts';
import {
  componentSchemas,
  type Direction,
  GatewayMessage,
  ProblemOrGatewayMessage,
  published,
} from './schemas.ts';

const DESCRIPTION = `\
Reads one candidate's application to a job, and sets a job's status.

**Identifiers** are ${IDENTIFIER_RULE}. Percent-encode each in a path. Imports and
live writes refuse jobs and applications with \`.\`, \`..\`, or an identifier with \`/\`, \`?\` or \`%\`: clients
resolve the dots, and API Gateway decodes a path twice, so a request would not reach them.

**Errors** are problem documents (RFC 9457, \`application/problem+json\`), which \`code\` tells apart. What belongs to
another tenant gets the same response as what does not exist.

**Amazon API Gateway** answers some requests itself, with a \`message\` as \`application/json\` and without the headers
of the service: 400 if the path is not percent-encoded correctly, 404 if no route matches (none has HEAD), 413 if the
body has several megabytes, 429 if requests come too fast, and 500 or 503 if the function did not run or did not finish.

**Versions**: \`/v1\` changes only by addition of members, headers, codes and values. Ignore members and headers that
you do not know, treat an unknown code by its status, and keep an unknown value as text.`;

export function openApiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Recruitment Service API',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operator of the deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers,
    tags,
    paths: paths(),
    webhooks: { 'job-status-changed': { post: webhookObject() } },
    components: {
      schemas: componentSchemas(),
      headers: published(componentHeaders(), 'sent'),
      responses: { TooManyRequests: tooManyRequests },
      securitySchemes: { accessToken: accessToken(), destinationSecret },
    },
  };
}

const servers = [
  { url: 'http://127.0.0.1:3000', description: 'The local service: `npm start`.' },
  {
    url: '{base_url}',
    description: 'A deployment of the service: `base_url` is the output `BaseUrl` of the stack.',
    // No `description`: swagger-parser 10 and orval 7 reject one.
    variables: { base_url: { default: 'https://api.example.com' } },
  },
];

/** Client generators write a class for each tag. */
const tags = [
  { name: 'Recruitment', description: 'The operations of the API.' },
  { name: 'Events', description: 'The events that the service publishes.' },
];

function paths() {
  const byPath = Map.groupBy(contracts, ({ path }) => path);
  const items = Array.from(byPath, ([path, methods]) => [
    path,
    Object.fromEntries(methods.map((one) => [one.method.toLowerCase(), operationObject(one)])),
  ]);
  return Object.fromEntries(items);
}

function operationObject(operation: Operation) {
  const { operationId, summary, description, scope, parameters, headers, body, response } =
    operation;
  return {
    operationId,
    tags: ['Recruitment'],
    summary,
    description,
    security: [{ accessToken: [scope] }],
    parameters: [
      ...parameterObjects('path', pathParameterSchemas(parameters)),
      ...parameterObjects('header', headers ?? {}),
    ],
    ...(body && { requestBody: { required: true, content: json(body, 'received') } }),
    responses: {
      [response.status]: {
        description: response.description,
        headers: successHeaders(operation),
        content: json(response, 'sent'),
      },
      ...problemResponses(operation),
      429: { $ref: '#/components/responses/TooManyRequests' },
    },
  };
}

const DELIVERY =
  "The service puts the event on the deployment's EventBridge bus. This is the request that a subscriber's API " +
  'destination sends (docs/events.md).';

function webhookObject() {
  const { summary, description } = jobStatusChanged;
  return {
    operationId: 'jobStatusChanged',
    tags: ['Events'],
    summary,
    description: `${description} ${DELIVERY}`,
    security: [{ destinationSecret: [] }],
    requestBody: { required: true, content: json(jobStatusChanged, 'sent') },
    responses: {
      '2XX': { description: 'The event was received.' },
      '4XX': {
        description:
          'The event was rejected. EventBridge sends it again only after 401, 407, 409 and 429.',
      },
      '5XX': { description: 'The event was not received. EventBridge sends it again.' },
    },
  };
}

function parameterObjects(place: 'path' | 'header', schemas: DescribedSchemas) {
  return Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    description,
    schema: published(schema, 'received'),
    // For tools that send a sample request.
    example: schema.examples?.[0],
  }));
}

const json = (
  { schema, example }: { schema: unknown; example: unknown },
  direction: Direction,
) => ({ 'application/json': { schema: published(schema, direction), example } });

function problemResponses(operation: Operation) {
  const byStatus = Map.groupBy(operation.problems, (code) => problemDefinitions[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [status, problemResponse(status, codes, operation)]),
  );
}

/** API Gateway's messages for statuses that the service sends too. */
const gatewayMessages: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function problemResponse(status: number, codes: readonly ProblemCode[], operation: Operation) {
  const message = gatewayMessages[status];
  const schema = message === undefined ? ProblemDocument : ProblemOrGatewayMessage;
  return {
    description: codes.map((code) => `\`${code}\`: ${problemDefinitions[code].title}`).join(' '),
    headers: headersOfProblems(codes, operation.method),
    content: {
      'application/problem+json': {
        schema: published(schema, 'sent'),
        examples: {
          ...Object.fromEntries(codes.map((code) => [code, problemExample(code, operation)])),
          ...(status === 503 &&
            operation.method !== 'GET' && {
              outcome_unknown: outcomeUnknownExample(operation),
            }),
        },
      },
      ...(message !== undefined && json({ schema, example: { message } }, 'sent')),
    },
  };
}

const tooManyRequests = {
  description: 'Too many requests; nothing was changed. From API Gateway, not from the service.',
  content: json({ schema: GatewayMessage, example: { message: 'Too Many Requests' } }, 'sent'),
};

/**
 * Not `oauth2`, whose flow depends on the issuer. Any type of scheme lets operations name their scopes (OpenAPI 3.1.0,
 * section 4.8.30).
 */
function accessToken() {
  const scopes = contracts.map(({ scope, summary }) => `- \`${scope}\`: ${summary}.`);
  return {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: [
      "An access token of the deployment's OpenID Connect issuer, with the scope that the operation",
      'names. A deployment may put a prefix before the scopes:\n',
      ...scopes,
    ].join('\n'),
  };
}

/** API destinations do not sign requests, so the receiver checks a secret. */
const destinationSecret = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description:
    'A secret that the subscriber chooses for the EventBridge connection, which may use another header, basic ' +
    'authentication or OAuth client credentials instead.',
};
