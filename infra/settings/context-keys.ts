import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FromSchema } from 'json-schema-to-ts';
import { isScopePrefix, namesIn } from '../../functions/contract/environment.ts';
import { transitionPolicies } from '../../functions/domain/job.ts';
import { namesOf } from '../../functions/domain/record.ts';
import { stageNames } from './stages.ts';

const policyNames = namesOf(transitionPolicies);

/** What values may be, if a pattern cannot say it. */
const formats = {
  'secure-url': isSecureUrl,
  origins: (list: string) =>
    list.split(',').every((origin) => URL.parse(origin.trim())?.origin === origin.trim()),
  audiences: (list: string) => namesIn(list).length > 0,
  'scope-prefix': isScopePrefix,
};

const URL_TITLE = 'an https URL, without spaces, ? or #';

/**
 * The keys of the CDK context that a deployment may set (`cdk deploy -c stage=prod …`), as a JSON Schema.
 * The `title` of a key says what its value must be, for error messages; its `description` says what the
 * key does. The table in docs/configuration.md has both.
 */
export const contextKeys = {
  stage: {
    type: 'string',
    enum: stageNames,
    title: `one of ${stageNames.join(', ')}`,
    default: 'dev',
    description:
      'The stage: a stack of its own, `RecruitmentService-<stage>`, with the values of `infra/settings/stages.ts`.',
  },
  issuer: {
    type: 'string',
    format: 'secure-url',
    title: URL_TITLE,
    examples: ['https://login.example.com'],
    description:
      'The issuer of the accepted tokens, their `iss`. Without it, the stack creates an Amazon Cognito user pool.',
  },
  audience: {
    type: 'string',
    format: 'audiences',
    title: 'a list of audiences, separated by commas',
    examples: ['recruitment'],
    description: 'Accepted audiences: the `aud` of a token or, if it has none, its `client_id`.',
  },
  jwksUri: {
    type: 'string',
    format: 'secure-url',
    title: URL_TITLE,
    examples: ['https://login.example.com/keys'],
    description:
      "The address of the issuer's keys. Without it, the issuer's discovery document names it.",
  },
  scopePrefix: {
    type: 'string',
    format: 'scope-prefix',
    title: 'characters that a scope may have: no space, quotation mark or backslash',
    examples: ['recruitment/'],
    description: 'What the issuer puts before the names of the scopes.',
  },
  tenantClaim: {
    type: 'string',
    title: 'the name of a claim',
    examples: ['org_id'],
    description: 'The claim that holds the tenant. Without it, there is one tenant, `default`.',
  },
  transitionPolicy: {
    type: 'string',
    enum: policyNames,
    title: policyNames.join(' or '),
    default: 'any',
    description:
      'The changes of status that are allowed: all of them, or those of the life cycle of a job.',
  },
  corsOrigins: {
    type: 'string',
    format: 'origins',
    title: 'a list of origins, without a path, separated by commas',
    examples: ['https://app.example.com'],
    description: 'The origins whose pages may call the API from a browser. Without it, none may.',
  },
  databaseEndpoint: {
    type: 'string',
    format: 'secure-url',
    title: URL_TITLE,
    examples: ['https://dynamodb-fips.us-east-1.amazonaws.com'],
    description:
      'Another public endpoint of DynamoDB in the region: with FIPS or dual stack. The functions are in no VPC and reach no endpoint of one.',
  },
  region: {
    type: 'string',
    pattern: '^[a-z]{2}(-[a-z]+)+-\\d$',
    title: 'the name of a region',
    examples: ['eu-west-1'],
    description:
      'The only region that the stack is deployed to. Without it, the region of the credentials.',
  },
  filesBucket: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$',
    title: 'the name of a bucket without dots, which the certificate of S3 does not cover',
    examples: ['example-files'],
    description:
      "The bucket of the candidates' files, in the region of the stack, which does not create it ([files.md](files.md)). Without it, a stored `s3://` address is 500.",
  },
  filesKey: {
    type: 'string',
    pattern: '^arn:aws[a-z-]*:kms:[a-z0-9-]+:\\d{12}:key/[\\w-]+$',
    title: 'the ARN of a key in AWS KMS',
    examples: ['arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012'],
    description:
      'The key that encrypts the objects of `filesBucket`. Without it, S3 encrypts them with its own.',
  },
  restoredTableStream: {
    type: 'string',
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
    pattern:
      '^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\\d{12}:table/[\\w.-]{3,255}/stream/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+$',
    title: "the ARN of a table's stream",
    examples: [
      'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod/stream/2026-11-03T09:26:53.589',
    ],
    description:
      'The stream of a table restored from a backup, which the service then uses instead of its own ([runbook](runbooks/restore.md)).',
  },
  rollOut: {
    type: 'string',
    enum: ['direct'],
    title: 'direct',
    description:
      'CloudFormation gives new versions all traffic at once, without the canary and the alarms of the stage.',
  },
  alarmEmail: {
    type: 'string',
    pattern: '^[^\\s@,;<>]+@[^\\s@,;<>.]+(\\.[^\\s@,;<>.]+)+$',
    title: 'one e-mail address',
    examples: ['ops@example.com'],
    description: 'Who gets an e-mail for each alarm. Without it, subscribe to the alarm topic.',
  },
  domainName: {
    type: 'string',
    // RFC 1123, section 2.1: two labels at least, in lower case, the last one not of digits alone.
    pattern: '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$',
    maxLength: 253,
    title: 'a host name in lower case, without https://, * or a path',
    examples: ['api.example.com'],
    description: "The API's own name. Its default endpoint is then closed.",
  },
  certificateArn: {
    type: 'string',
    pattern:
      '^arn:aws(?:-[a-z]+)*:acm:[a-z0-9-]+:\\d{12}:certificate/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    title: 'the ARN of a certificate in AWS Certificate Manager',
    examples: [
      'arn:aws:acm:eu-west-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
    ],
    description: 'The certificate of `domainName`, in the region of the API.',
  },
  hostedZoneId: {
    type: 'string',
    pattern: '^Z[A-Z0-9]{1,31}$',
    title: 'the id of a hosted zone in Route 53',
    examples: ['Z0123456789ABCDEFGHIJ'],
    description:
      'The hosted zone in which the stack creates the record of `domainName`. Without it, an output says what the record must be.',
  },
  trustStore: {
    type: 'string',
    pattern: '^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/\\S{1,1024}$',
    title: 'the address of a PEM file in S3',
    examples: ['s3://bucket/authorities.pem'],
    description:
      'Certificate authorities: every client must present a certificate of one of them (mutual TLS). Without it, clients need no certificate.',
  },
  trustStoreVersion: {
    type: 'string',
    title: 'the version of an object in S3',
    examples: ['Mq3nT0bJ'],
    description: 'The version of the file `trustStore`.',
  },
} as const;

/** Keys that need others. */
const dependentRequired = {
  issuer: ['audience'],
  audience: ['issuer'],
  jwksUri: ['issuer'],
  scopePrefix: ['issuer'],
  tenantClaim: ['issuer'],
  filesKey: ['filesBucket'],
  domainName: ['certificateArn'],
  certificateArn: ['domainName'],
  hostedZoneId: ['domainName'],
  trustStore: ['domainName'],
  trustStoreVersion: ['trustStore'],
};

const schema = {
  type: 'object',
  properties: contextKeys,
  dependentRequired,
  additionalProperties: false,
} as const;

/** What a deployment chooses, by the context keys of the same names. */
export type Settings = FromSchema<typeof schema>;

const ajv = new Ajv2020({ strict: true, useDefaults: true, formats });
/** Whether the values of context keys are allowed, alone and together; adds the defaults. */
export const isContext = ajv.compile<Settings>(schema);

/** Whether an address is protected by TLS, or is of this machine. */
function isSecureUrl(value: string): boolean {
  const url = URL.parse(value);
  const isLocal =
    url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  return (url?.protocol === 'https:' || isLocal) && !/[\s?#]/.test(value);
}
