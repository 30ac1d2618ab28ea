import { Ajv2020 } from 'ajv/dist/2020.js';
import { isScopePrefix, namesIn } from '../../functions/contract/environment.ts';
import type { transitionPolicies } from '../../functions/domain/job.ts';
import { parseS3Uri } from '../../functions/domain/s3-uri.ts';
import schema from './stage.schema.json' with { type: 'json' };
import { type StageName, stageNames } from './stages.ts';

/** Checks for values that a pattern cannot describe. */
const formats = {
  issuer: (value: string) => value === 'cognito' || isSecureUrl(value),
  'secure-url': isSecureUrl,
  origins: (list: string) =>
    list.split(',').every((origin) => URL.parse(origin.trim())?.origin === origin.trim()),
  audiences: (list: string) => namesIn(list).length > 0,
  'scope-prefix': isScopePrefix,
  's3-uri': (value: string) => parseS3Uri(value) !== undefined,
};

/** The keys that only a flag can set: the stage, which selects the settings file, and options for one deployment. */
const flags = {
  stage: {
    enum: stageNames,
    title: `one of ${stageNames.join(', ')}`,
    default: 'dev',
    description:
      'The stage to deploy. Each stage is a separate stack, `RecruitmentService-<stage>`, with its numbers from `infra/settings/stages.ts` and its settings from `infra/settings/<stage>.json`.',
  },
  rollOut: {
    enum: ['direct'],
    title: '`direct`',
    description:
      'With `direct`, CloudFormation shifts all traffic to the new function versions at once, without a canary and without rollback alarms.',
  },
} as const;

const { $schema, ...settings } = schema.properties;

interface ContextKey {
  /** The rule for the value, in words that follow "must be". */
  title: string;
  /** The effect of the key. */
  description: string;
  examples?: readonly string[];
  default?: string;
}

/** The CDK context keys that a deployment may set (`cdk deploy -c stage=prod …`). */
export const contextKeys: Readonly<Record<string, ContextKey>> = { ...flags, ...settings };

/** The keys that every settings file must have, because they control access, alarms and data location. */
type Stated = 'issuer' | 'tenantClaim' | 'alarmEmail' | 'region';

type Optional = Exclude<keyof typeof settings, Stated | 'transitionPolicy'>;

/** A deployment's settings. A key of `Stated` is absent if its written value is `cognito`, `none` or `any`. */
export interface Settings extends Partial<Record<Stated | Optional, string>> {
  stage: StageName;
  transitionPolicy: keyof typeof transitionPolicies;
  rollOut?: 'direct';
}

/** A deployment's settings as the file and the flags state them, including `cognito`, `none` and `any`. */
export type WrittenSettings = Settings & Record<Stated, string> & { $schema?: string };

const ajv = new Ajv2020({ strict: true, strictRequired: false, useDefaults: true, formats });

/** Returns whether the content of a settings file is valid, and adds the defaults to the content. */
export const isStageFile = ajv.compile<object>(schema);

/** Returns whether the content of a settings file, overridden by flags, is valid. */
export const isWritten = ajv.compile<WrittenSettings>({
  ...schema,
  required: [...schema.required, 'stage'],
  properties: { ...schema.properties, ...flags },
});

/** Returns whether a URL uses TLS or points to this machine. */
function isSecureUrl(value: string): boolean {
  const url = URL.parse(value);
  const isLocal =
    url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  return (url?.protocol === 'https:' || isLocal) && !/[\s?#]/.test(value);
}
