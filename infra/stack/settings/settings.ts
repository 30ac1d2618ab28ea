import { transitionPolicies } from '../../../functions/domain/job.ts';
import { keysOf } from '../../../functions/domain/own-value.ts';
import { parseS3Uri } from '../../../functions/domain/s3-uri.ts';
import { splitList } from '../../../functions/domain/split-list.ts';
import { type FunctionVariables, isScopePrefix } from '../../../functions/platform/environment.ts';
import { issuerFault } from './issuer-fault.ts';

export const stageNames = ['dev', 'staging', 'prod'] as const;

export type StageName = (typeof stageNames)[number];

export type Pattern = RegExp | readonly string[] | ((value: string) => boolean);

interface Setting {
  text: string;
  /** Follows "must be" in error messages. */
  rule: string;
  example?: string;
  default?: string;
  /** The functions' environment variable that gets the value. */
  variable?: keyof FunctionVariables;
  accepts: Pattern;
  /** Why a value that fits the rule cannot work, and what to write instead. */
  faultOf?: (value: string) => string | undefined;
  needs?: string;
  /** Decides access, alarms or where the data is, so it has no default and must be in the stage's file. */
  isRequired?: true;
  /** Values that mean the same as no setting. */
  absent?: Pattern;
  /** Contradicts `issuer: 'cognito'`, unless absent. */
  isOfOwnIssuer?: true;
  /** Command line only. */
  isFlag?: true;
}

/** The endpoint that a stack without `databaseEndpoint` uses. The group captures the region. */
export const DEFAULT_ENDPOINT = /^https:\/\/dynamodb\.([a-z0-9-]+)\.amazonaws\.com\/?$/;

/** `npm run generate` writes docs/reference/settings.md from it. */
export const settingsTable = {
  stage: {
    text: 'The stage to deploy. Only a flag (`-c`).',
    rule: `one of ${stageNames.join(', ')}`,
    default: 'dev',
    accepts: stageNames,
    isFlag: true,
  },
  rollOut: {
    text: 'With `direct`, all requests go to the new function versions at once, without [a canary](../deployment.md#how-a-new-version-gets-its-traffic). Only a flag (`-c`).',
    rule: '`direct`',
    accepts: ['direct'],
    isFlag: true,
  },
  issuer: {
    text: 'The `iss` of accepted tokens. With `cognito`, the stack creates a user pool.',
    rule: '`cognito` or an https URL without spaces, ? or #',
    example: 'https://login.example.com',
    accepts: (value) => value === 'cognito' || isPlainHttps(value),
    absent: ['cognito'],
    faultOf: issuerFault,
    isRequired: true,
    variable: 'ISSUER',
  },
  audience: {
    text: 'The accepted [audiences](../issuers.md), separated by commas. Required with your own issuer.',
    rule: 'a list of audiences, separated by commas',
    example: 'recruitment',
    accepts: isList,
    isOfOwnIssuer: true,
    variable: 'AUDIENCE',
  },
  jwksUri: {
    text: "The URL of the issuer's signing keys. By default, the one in the issuer's discovery document.",
    rule: 'an https URL without spaces or #',
    example: 'https://login.example.com/keys',
    accepts: isHttps,
    isOfOwnIssuer: true,
    variable: 'JWKS_URI',
  },
  scopePrefix: {
    text: 'The prefix that the issuer puts before each scope name.',
    rule: 'text without spaces, quotation marks or backslashes, because a scope cannot contain them',
    example: 'recruitment/',
    accepts: isScopePrefix,
    isOfOwnIssuer: true,
    variable: 'SCOPE_PREFIX',
  },
  scopeClaims: {
    text: 'The claims that may hold the scopes, separated by commas; by default, `scope` and `scp`. The first that a token has counts: a string with spaces between the scopes, a list, or an object whose keys are scopes and whose values are the organizations in which each applies (Zitadel).',
    rule: 'a list of claim names without spaces, separated by commas',
    example: 'scp,roles',
    accepts: (value) => isList(value) && splitList(value).every((name) => /^\S+$/.test(name)),
    isOfOwnIssuer: true,
    variable: 'SCOPE_CLAIMS',
  },
  tenantClaim: {
    text: 'The claim that holds the tenant. With `none`, the only tenant is `default`.',
    rule: '`none` (in lower case) or the name of a claim, without spaces',
    example: 'org_id',
    accepts: (value) => /^\S+$/.test(value) && (value === 'none' || value.toLowerCase() !== 'none'),
    absent: ['none'],
    isRequired: true,
    isOfOwnIssuer: true,
    variable: 'TENANT_CLAIM',
  },
  transitionPolicy: {
    text: 'The allowed status changes. `any` allows all of them, `lifecycle` only those in `functions/domain/job.ts`.',
    rule: '`any` or `lifecycle`',
    default: 'any',
    accepts: keysOf(transitionPolicies),
    variable: 'TRANSITION_POLICY',
  },
  corsOrigins: {
    text: 'The origins whose pages may call the API, separated by commas. By default, none.',
    rule: 'a list of origins without paths and without *, separated by commas',
    example: 'https://app.example.com',
    accepts: (list) => list.split(',').every((origin) => isOrigin(origin.trim())),
  },
  databaseEndpoint: {
    text: 'Another public DynamoDB endpoint in the region, such as a FIPS endpoint, but no VPC endpoint.',
    rule: 'an https URL without spaces, ? or #',
    example: 'https://dynamodb-fips.us-east-1.amazonaws.com',
    accepts: isPlainHttps,
    absent: DEFAULT_ENDPOINT,
    variable: 'AWS_ENDPOINT_URL_DYNAMODB',
  },
  region: {
    text: "The only region in which the stack may be deployed; with `any`, the credentials' region.",
    rule: '`any` or the name of a region',
    example: 'eu-west-1',
    accepts: /^(any|[a-z]+(-[a-z]+)+-\d)$/,
    absent: ['any'],
    isRequired: true,
  },
  filesBucket: {
    text: "The [bucket with candidates' files](../files.md), in the stack's region. While you move files, name two, separated by a comma.",
    rule: "the name of a bucket, or two names separated by a comma; a name must not contain dots, because S3's certificate does not cover names with dots",
    example: 'example-files',
    accepts: /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9](,[a-z0-9][a-z0-9-]{1,61}[a-z0-9])?$/,
  },
  filesKey: {
    text: 'The KMS key of `filesBucket`, unless S3 encrypts with its own keys. For two buckets with different keys, name both, separated by a comma.',
    rule: 'the ARN of a KMS key, or two ARNs separated by a comma',
    example: 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012',
    accepts:
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+(,arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)?$/,
    needs: 'filesBucket',
  },
  restoredTableStream: {
    text: "The stream of a [restored table](../runbooks/restore.md), which the service then uses instead of the stack's own.",
    rule: "the ARN of a table's stream",
    example:
      'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod/stream/2026-11-03T09:26:53.589',
    // Format: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
    accepts:
      /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/\d{4}-\d\d-\d\dT[\d:.]+$/,
  },
  alarmEmail: {
    text: 'The address to which alarms are mailed. With `none`, nobody is notified until you subscribe to the alarm topic.',
    rule: '`none` or one e-mail address',
    example: 'ops@example.com',
    accepts: /^(none|[^\s@,;<>]+@[^\s@,;<>.]+(\.[^\s@,;<>.]+)+)$/,
    absent: ['none'],
    isRequired: true,
  },
  domainName: {
    text: "The API's own domain name. Its default address is then disabled.",
    rule: 'a host name in lower case, without https://, * or a path',
    example: 'api.example.com',
    accepts: isDomainName,
    needs: 'certificateArn',
  },
  certificateArn: {
    text: "The certificate for `domainName`, in the API's region.",
    rule: 'the ARN of a certificate in AWS Certificate Manager',
    example: 'arn:aws:acm:eu-west-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
    accepts:
      /^arn:aws(?:-[a-z]+)*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    needs: 'domainName',
  },
  hostedZoneId: {
    text: 'The hosted zone in which the stack creates a DNS record for `domainName`. Otherwise, [create it yourself](../production.md#a-domain-name).',
    rule: 'the id of a hosted zone in Route 53',
    example: 'Z0123456789ABCDEFGHIJ',
    accepts: /^Z[A-Z0-9]{1,31}$/,
    needs: 'domainName',
  },
  trustStore: {
    text: 'The certificate authorities for [mutual TLS](../production.md#client-certificates).',
    rule: 'the S3 URI of a PEM file',
    example: 's3://bucket/authorities.pem',
    accepts: (value) => parseS3Uri(value) !== undefined,
    needs: 'domainName',
  },
  trustStoreVersion: {
    text: 'The object version of `trustStore`.',
    rule: 'the version id of an S3 object',
    example: 'Mq3nT0bJ',
    accepts: /./,
    needs: 'trustStore',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type Values = Readonly<Partial<Record<keyof typeof settingsTable, string>>>;

/** Required settings are optional here too, because a fresh clone lacks them in staging and prod. */
export type StageSettings = Omit<Values, 'stage' | 'rollOut'>;

export type Settings = Values & { readonly stage: StageName };

const rows: Readonly<Record<string, Setting>> = settingsTable;

export const settingNamed = (key: string): Setting | undefined => rows[key];

/** The functions' environment variables, for the settings that have a value. */
export const variablesOf = (settings: Values): Partial<FunctionVariables> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const variable = settingNamed(key)?.variable;
      return variable === undefined ? [] : [[variable, value]];
    }),
  );

function isHttps(value: string): boolean {
  return URL.parse(value)?.protocol === 'https:' && !/[\s#]/.test(value);
}

function isPlainHttps(value: string): boolean {
  return isHttps(value) && !value.includes('?');
}

/** An origin `https://*` would make API Gateway let in every https page. */
function isOrigin(value: string): boolean {
  return URL.parse(value)?.origin === value && !value.includes('*');
}

function isList(value: string): boolean {
  return splitList(value).length > 0;
}

/** RFC 1123, section 2.1: at least two labels in lower case, the last of which begins with a letter. */
function isDomainName(value: string): boolean {
  return (
    value.length <= 253 &&
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(value)
  );
}
