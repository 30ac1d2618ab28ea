import { transitionPolicies } from '../../functions/domain/job.ts';
import { keysOf } from '../../functions/domain/own-value.ts';
import { parseS3Uri } from '../../functions/domain/s3-uri.ts';
import { splitList } from '../../functions/domain/split-list.ts';
import { type FunctionVariables, isScopePrefix } from '../../functions/platform/environment.ts';

export const stageNames = ['dev', 'staging', 'prod'] as const;

export type StageName = (typeof stageNames)[number];

interface Setting {
  text: string;
  /** Follows "must be" in error messages. */
  rule: string;
  example?: string;
  default?: string;
  /** The functions' environment variable that gets the value. */
  variable?: keyof FunctionVariables;
  accepts: RegExp | readonly string[] | ((value: string) => boolean);
  /** Why a value that fits the rule cannot work, and what to write instead. */
  faultOf?: (value: string) => string | undefined;
  needs?: string;
  /**
   * The setting decides access, alarms or where the data is. So it has no default, and must stand in the stage's file.
   */
  isRequired?: true;
  /** Contradicts `issuer: 'cognito'`. */
  isOfOwnIssuer?: true;
  /** Only a flag sets it, for one deployment. */
  isFlag?: true;
}

/** `npm run generate` writes docs/reference/settings.md from it. */
export const settingsTable = {
  stage: {
    text: 'The stage to deploy. Only a flag.',
    rule: `one of ${stageNames.join(', ')}`,
    default: 'dev',
    accepts: stageNames,
    isFlag: true,
  },
  rollOut: {
    text: 'With `direct`, CloudFormation shifts all traffic to the new function versions at once, without a canary and without rollback alarms. Only a flag.',
    rule: '`direct`',
    accepts: ['direct'],
    isFlag: true,
  },
  issuer: {
    text: 'The issuer of accepted tokens (their `iss`). With `cognito`, the stack creates an Amazon Cognito user pool.',
    rule: '`cognito` or an https URL without spaces, ? or #',
    example: 'https://login.example.com',
    accepts: (value) => value === 'cognito' || isPlainHttps(value),
    faultOf: issuerFault,
    isRequired: true,
    variable: 'ISSUER',
  },
  audience: {
    text: "The accepted audiences, separated by commas: values of the token's `aud` or, without `aud`, of its `client_id`. Required with an issuer of your own.",
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
    text: 'The claims that may hold the scopes, separated by commas; by default, `scope` and `scp`. Only the first one that a token has counts. It may be text with spaces between the scopes, a list of scopes, or an object whose keys are scopes and whose values are objects with organizations as keys (as in Zitadel): of these scopes, only those of the organization in `tenantClaim` count, or all without `tenantClaim`.',
    rule: 'a list of claim names without spaces, separated by commas',
    example: 'scp,roles',
    accepts: (value) => isList(value) && splitList(value).every((name) => /^\S+$/.test(name)),
    isOfOwnIssuer: true,
    variable: 'SCOPE_CLAIMS',
  },
  tenantClaim: {
    text: 'The claim that holds the tenant. With `none`, there is a single tenant, `default`.',
    rule: '`none` or the name of a claim, without spaces',
    example: 'org_id',
    accepts: /^\S+$/,
    isRequired: true,
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
    text: 'The origins whose pages may call the API from a browser, separated by commas. By default, no page may.',
    rule: 'a list of origins without paths and without *, separated by commas',
    example: 'https://app.example.com',
    accepts: (list) => list.split(',').every((origin) => isOrigin(origin.trim())),
  },
  databaseEndpoint: {
    text: 'Another public DynamoDB endpoint in the region, such as a FIPS or dual-stack endpoint. The functions run outside any VPC and cannot reach VPC endpoints.',
    rule: 'an https URL without spaces, ? or #',
    example: 'https://dynamodb-fips.us-east-1.amazonaws.com',
    accepts: isPlainHttps,
    variable: 'AWS_ENDPOINT_URL_DYNAMODB',
  },
  region: {
    text: "The only region to which the stack may be deployed. With `any`, the credentials' region.",
    rule: '`any` or the name of a region',
    example: 'eu-west-1',
    accepts: /^(any|[a-z]+(-[a-z]+)+-\d)$/,
    isRequired: true,
  },
  filesBucket: {
    text: "The existing bucket with candidates' files, in the stack's region. Name two, separated by a comma, while you move files from one to the other. Without a bucket, a request for an application with an `s3://` URI gets 500.",
    rule: "the name of a bucket, or two names separated by a comma; a name must not contain dots, because S3's certificate does not cover names with dots",
    example: 'example-files',
    accepts: /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9](,[a-z0-9][a-z0-9-]{1,61}[a-z0-9])?$/,
  },
  filesKey: {
    text: 'The KMS key that encrypts the objects in `filesBucket`. Name two, separated by a comma, if two buckets have different keys. Leave it out if S3 encrypts the objects with its own keys.',
    rule: 'the ARN of a KMS key, or two ARNs separated by a comma',
    example: 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012',
    accepts:
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+(,arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)?$/,
    needs: 'filesBucket',
  },
  restoredTableStream: {
    text: "The stream of a table that was restored from a backup. The service then uses the restored table instead of the stack's own.",
    rule: "the ARN of a table's stream",
    example:
      'arn:aws:dynamodb:eu-west-1:111122223333:table/restored-prod/stream/2026-11-03T09:26:53.589',
    // Format: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
    accepts:
      /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]{3,255}\/stream\/\d{4}-\d\d-\d\dT[\d:.]+$/,
  },
  alarmEmail: {
    text: 'The address to which alarms are sent. With `none`, nobody is notified until you subscribe to the alarm topic.',
    rule: '`none` or one e-mail address',
    example: 'ops@example.com',
    accepts: /^(none|[^\s@,;<>]+@[^\s@,;<>.]+(\.[^\s@,;<>.]+)+)$/,
    isRequired: true,
  },
  domainName: {
    text: "The API's own domain name. The API then responds only under this name, because its default endpoint is disabled.",
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
    text: 'The hosted zone in which the stack creates a DNS record for `domainName`. Without it, create the record yourself.',
    rule: 'the id of a hosted zone in Route 53',
    example: 'Z0123456789ABCDEFGHIJ',
    accepts: /^Z[A-Z0-9]{1,31}$/,
    needs: 'domainName',
  },
  trustStore: {
    text: 'The certificate authorities for mutual TLS, one of which must have issued the certificate of each client.',
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

type SettingsTable = typeof settingsTable;
type SettingKey = keyof SettingsTable;
type KeyWith<Mark extends keyof Setting> = {
  [K in SettingKey]: SettingsTable[K] extends Record<Mark, true> ? K : never;
}[SettingKey];
type Value<K extends SettingKey> = SettingsTable[K]['accepts'] extends readonly (infer Allowed)[]
  ? Allowed
  : string;

/** Even the required settings are optional here, because a fresh clone lacks them in staging and prod. */
export type StageSettings = { readonly [K in Exclude<SettingKey, KeyWith<'isFlag'>>]?: Value<K> };

/** Checked settings. Values may still be `cognito`, `none` and `any`. */
export type WrittenSettings = { readonly [K in SettingKey]?: Value<K> } & {
  readonly [K in KeyWith<'isRequired'>]: string;
};

/** `issuer`, `tenantClaim`, `alarmEmail` and `region` are absent where the file says `cognito`, `none` or `any`. */
export type Settings = {
  readonly [K in Exclude<SettingKey, 'stage' | 'transitionPolicy'>]?: Value<K>;
} & {
  readonly stage: StageName;
  readonly transitionPolicy: Value<'transitionPolicy'>;
};

const table: Readonly<Record<string, Setting>> = settingsTable;
const keys = Object.keys(table);
const requiredKeys = keys.filter((key) => table[key]?.isRequired);
export const flagKeys = keys.filter((key) => table[key]?.isFlag);
export const fileKeys = keys.filter((key) => !table[key]?.isFlag);
const ownIssuerKeys = keys.filter((key) => table[key]?.isOfOwnIssuer);

/** The functions' environment variables, of the settings that have a value. */
export const variablesOf = (settings: Settings): Partial<FunctionVariables> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const variable = table[key]?.variable;
      return variable === undefined ? [] : [[variable, value]];
    }),
  );

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Node.js runs the stages' files without checking their types.
 * @param source the file, for the message.
 * @param names of all keys that the source may have, for the message.
 * @throws SettingsError that names the source and the key, and says what to write.
 */
export function checkSettings(
  written: Readonly<Record<string, unknown>>,
  source: string,
  names: readonly string[] = keys,
): asserts written is WrittenSettings {
  const fault = keyFault(written, names) ?? missingKeys(written, source) ?? contradiction(written);
  if (fault !== undefined) throw new SettingsError(`${source}: ${fault}`);
}

/** Follows "must be" or "set it to". */
export function expected(key: string): string {
  const { rule, example } = table[key] ?? {};
  return example === undefined ? `${rule}` : `${rule}, such as ${example}`;
}

function keyFault(
  written: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined {
  for (const [key, value] of Object.entries(written)) {
    const setting = Object.hasOwn(table, key) ? table[key] : undefined;
    if (setting === undefined) return `unknown key ${key}. The keys are ${names.join(', ')}.`;
    if (typeof value !== 'string' || !isAccepted(setting, value))
      return `${key} must be ${expected(key)}.`;
    const fault = setting.faultOf?.(value);
    if (fault !== undefined) return `${key} ${fault}`;
  }
  return undefined;
}

function isAccepted({ accepts }: Setting, value: string): boolean {
  if (typeof accepts === 'function') return accepts(value);
  return accepts instanceof RegExp ? accepts.test(value) : accepts.includes(value);
}

/** Names all missing keys at once, so that they can be decided together. */
function missingKeys(
  written: Readonly<Record<string, unknown>>,
  source: string,
): string | undefined {
  const needed = written.issuer === 'cognito' ? requiredKeys : [...requiredKeys, 'audience'];
  // Without an issuer, nobody knows whether an audience is needed.
  const missing = (written.issuer === undefined ? requiredKeys : needed).filter(
    (key) => !(key in written),
  );
  const [only, ...others] = missing;
  if (only === undefined) return undefined;
  if (others.length === 0) {
    // No such hint for `audience`: a flag may set it, together with `issuer`.
    const inFile = requiredKeys.includes(only) ? ' A flag (-c) does not count for it.' : '';
    return `the key ${only} is missing. Set it to ${expected(only)}.${inFile}`;
  }
  const lines = missing.map((key) => {
    const needsAudience = key === 'issuer' && !('audience' in written);
    const also = needsAudience ? `; a URL also needs audience, ${expected('audience')}` : '';
    return `\n  ${key}: ${expected(key)}${also}`;
  });
  return (
    'these keys are missing and have no default. Decide their values and write them into ' +
    `\`settings\` in ${source}; flags (-c) do not count for them:${lines.join('')}`
  );
}

function contradiction(written: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of Object.keys(written)) {
    const other = table[key]?.needs;
    if (other !== undefined && !(other in written))
      return `${key} needs ${other}. Set ${other} to ${expected(other)}.`;
  }
  if (written.issuer !== 'cognito') return undefined;
  const key =
    ownIssuerKeys.find((it) => it in written) ??
    (written.tenantClaim === 'none' ? undefined : 'tenantClaim');
  if (key === undefined) return undefined;
  const remedy = key === 'tenantClaim' ? 'Set it to none' : 'Remove it';
  return `${key} belongs to an issuer of your own, but the issuer is cognito. ${remedy}, or set issuer to your own.`;
}

/**
 * Hosts of Microsoft Entra: `sts.windows.net` issues v1.0 tokens, the others v2.0 tokens (two of them in national
 * clouds).
 */
const ENTRA_HOSTS = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'sts.windows.net',
];
/** Lower case, as in tokens: issuers are compared character by character. */
const DIRECTORY_ID = /^\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:\/|$)/;
const OKTA_HOST = /\.(?:okta|oktapreview|okta-emea|okta-gov)\.com$/;
/** `/.well-known/…` comes last, or before the issuer's path (RFC 8414, section 3). */
const METADATA_ADDRESS = /^(.*?)\/\.well-known\/[^/]*(.*)$/;

function issuerFault(issuer: string): string | undefined {
  const never = (reason: string, form: string) =>
    `must be the \`iss\` of the tokens: ${reason}. Set it to ${form}.`;
  const { hostname = '', pathname = '' } = URL.parse(issuer) ?? {};
  if (ENTRA_HOSTS.includes(hostname)) {
    const directory = DIRECTORY_ID.exec(pathname)?.[1];
    const start = `https://${hostname}/${directory ?? 'YOUR_TENANT_ID'}/`;
    const form = hostname === 'sts.windows.net' ? start : `${start}v2.0`;
    // Azure AD B2C's issuer on these hosts ends in a slash.
    const isOwn = issuer === form || issuer.replace(/\/v2\.0\/$/, '/v2.0') === form;
    if (directory !== undefined && isOwn) return undefined;
    return never('Entra names the tenant by its id there, a GUID in lower case', form);
  }
  if (hostname === 'accounts.google.com') {
    const form = 'an issuer that has Google as its identity provider';
    return never("Google's access tokens are opaque", form);
  }
  if (/[{}]/.test(issuer)) return never('{ and } mark a placeholder', "your tenant's own issuer");
  const [, start, path = ''] = METADATA_ADDRESS.exec(issuer) ?? [];
  const endsInSlash = hostname.endsWith('.auth0.com');
  if (start !== undefined) {
    const form = `${start}${path}`.replace(/\/$/, '') + (endsInSlash ? '/' : '');
    return never('this is the address of a metadata document', `its member issuer, ${form}`);
  }
  if (OKTA_HOST.test(hostname) && !pathname.startsWith('/oauth2/')) {
    const form = `https://${hostname}/oauth2/default`;
    return never("the tokens of Okta's org authorization server are for Okta's own APIs", form);
  }
  if (endsInSlash && !issuer.endsWith('/')) return never('it ends in a slash', `${issuer}/`);
  return undefined;
}

function isHttps(value: string): boolean {
  return URL.parse(value)?.protocol === 'https:' && !/[\s#]/.test(value);
}

function isPlainHttps(value: string): boolean {
  return isHttps(value) && !value.includes('?');
}

/** With the origin `https://*`, API Gateway would let in every https page. */
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
