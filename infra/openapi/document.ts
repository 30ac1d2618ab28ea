import { jobStatusChanged } from '../../functions/contract/job-status-changed.ts';
import type { DescribedSchemas, Operation } from '../../functions/contract/operation.ts';
import { operations } from '../../functions/contract/operations.ts';
import { type ProblemCode, problemTypes } from '../../functions/contract/problem.ts';
import { Identifier } from '../../functions/domain/identifier.ts';
import { componentHeaders, headersOfProblems, successHeaders } from './headers.ts';
import { outcomeUnknownExample, ProblemDocument, problemExample } from './problems.ts';
import { componentSchemas, GatewayMessage, ProblemOrGatewayMessage, referring } from './schemas.ts';

const all: readonly Operation[] = Object.values(operations);

const DESCRIPTION = `\
Reads one candidate's application to a job, and sets the status of a job.

**Identifiers**: ${Identifier.description} Percent-encode them in paths. An
id with \`/\` or \`?\` cannot be addressed, even percent-encoded, because the gateway decodes the path
before it looks for the route. Nor can the ids \`.\` and \`..\`, because clients resolve them.

**Errors** are problem documents (RFC 9457) of the media type \`application/problem+json\`. Tell them
apart by \`code\`. What belongs to another tenant is treated as if it did not exist.

**The gateway** in front of the service (Amazon API Gateway) responds to some requests itself, as
\`application/json\` with a \`message\` and without the headers of the service: 400 if an id is not
percent-encoded correctly, 404 if no route matches (HEAD has none), 413 if a request has megabytes, 429 if
requests come too fast, and 500 or 503 if the service cannot run.

**Versions**: \`/v1\` grows only by addition. New optional members, headers and codes are additions:
ignore what you do not know.`;

/**
 * Builds the OpenAPI 3.1 document of the service from the contracts of its operations and the table
 * of problems: everything that a client may send and may get. Its schemas are of JSON Schema 2020-12.
 * @param version the version of the service, for `info.version`.
 */
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
      headers: componentHeaders(),
      responses: { TooManyRequests: tooManyRequests },
      securitySchemes: { accessToken: accessToken(), destinationSecret },
    },
  };
}

const servers = [
  { url: 'http://127.0.0.1:3000', description: 'The local service: `npm start`.' },
  {
    url: '{base_url}',
    description: 'A deployment of the service.',
    variables: {
      base_url: {
        default: 'https://api.example.com',
        description: 'The base address: the output `BaseUrl` of the stack.',
      },
    },
  },
];

/** Generators of clients write a class for each tag. */
const tags = [
  { name: 'Recruitment', description: 'The operations of the API.' },
  { name: 'Events', description: 'What the service publishes.' },
];

function paths() {
  const byPath = Map.groupBy(all, ({ path }) => path);
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
      ...parameterObjects('path', parameters.properties),
      ...parameterObjects('header', headers ?? {}),
    ],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      [response.status]: {
        description: response.description,
        headers: successHeaders(operation),
        content: json(response),
        ...(response.headers?.ETag && linksOf(operation)),
      },
      ...problemResponses(operation),
      429: { $ref: '#/components/responses/TooManyRequests' },
    },
  };
}

/** Returns the links (OpenAPI 3.1.0, section 4.8.20) of a response with an `ETag`, if the operation takes `If-Match`. */
function linksOf({ operationId, parameters, headers }: Operation) {
  if (headers?.['If-Match'] === undefined) return {};
  const names = Object.keys(parameters.properties);
  const nextChange = {
    operationId,
    description: 'The next change, made only if the resource still has this version.',
    parameters: {
      ...Object.fromEntries(names.map((name) => [`path.${name}`, `$request.path.${name}`])),
      'header.If-Match': '$response.header.ETag',
    },
  };
  return { links: { nextChange } };
}

/** How an event reaches a subscriber: by the bus, and from there as an HTTP request only if a rule says so. */
const DELIVERY =
  'The service puts it on an EventBridge bus of the deployment. This request is made only if a rule of the ' +
  'subscriber sends the events to an API destination (docs/events.md).';

/** What a subscriber's endpoint receives, if the deployment has a rule that posts to it. */
function webhookObject() {
  const { summary, description } = jobStatusChanged;
  return {
    operationId: 'jobStatusChanged',
    tags: ['Events'],
    summary,
    description: `${description} ${DELIVERY}`,
    security: [{ destinationSecret: [] }],
    requestBody: { required: true, content: json(jobStatusChanged) },
    responses: {
      '2XX': { description: 'The event was received. It is not sent again.' },
      '4XX': {
        description: 'The event was rejected. It is sent again after 401, 407, 409 and 429.',
      },
      '5XX': { description: 'The event was not received. It is sent again.' },
    },
  };
}

function parameterObjects(place: 'path' | 'header', schemas: DescribedSchemas) {
  return Object.entries(schemas).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    description,
    schema: referring(schema),
    // What tools that try an operation send.
    example: schema.examples?.[0],
  }));
}

const json = ({ schema, example }: { schema: unknown; example: unknown }) => ({
  'application/json': { schema: referring(schema), example },
});

function problemResponses(operation: Operation) {
  const byStatus = Map.groupBy(operation.problems, (code) => problemTypes[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [status, problemResponse(status, codes, operation)]),
  );
}

/** The messages of API Gateway itself, by the statuses that the service sends too. */
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
  const headers = headersOfProblems(codes, operation.method);
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTypes[code].title}`).join(' '),
    headers,
    content: {
      'application/problem+json': {
        schema: referring(schema),
        examples: {
          ...Object.fromEntries(codes.map((code) => [code, problemExample(code, operation)])),
          ...(status === 503 &&
            operation.method !== 'GET' && {
              outcome_unknown: outcomeUnknownExample(operation),
            }),
        },
      },
      ...(message !== undefined && json({ schema, example: { message } })),
    },
    ...('ETag' in headers && linksOf(operation)),
  };
}

const tooManyRequests = {
  description: 'Too many requests. The gateway sends this response, not the service.',
  content: json({ schema: GatewayMessage, example: { message: 'Too Many Requests' } }),
};

/**
 * The operations' security requirements name scopes of this scheme, as OpenAPI 3.1.0, section 4.8.30
 * allows: the service takes the tokens of any OpenID Connect issuer and has no flow to describe.
 */
function accessToken() {
  const scopes = all.map(({ scope, summary }) => `- \`${scope}\`: ${summary}.`);
  return {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: [
      'An access token of the OpenID Connect issuer that the deployment names. Each operation names',
      'the scope that the token must have; a deployment may give scopes a prefix:\n',
      ...scopes,
    ].join('\n'),
  };
}

/** How EventBridge authenticates to a subscriber's endpoint: its API destinations do not sign. */
const destinationSecret = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description:
    'The secret of the connection through which EventBridge posts events. The subscriber chooses it; a ' +
    'connection may also use another header, basic authentication or OAuth client credentials.',
};
