import { Ajv2020 } from 'ajv/dist/2020.js';
import { isScopePrefix, namesIn } from '../../functions/contract/environment.ts';
import type { transitionPolicies } from '../../functions/domain/job.ts';
import schema from './stage.schema.json' with { type: 'json' };
import { type StageName, stageNames } from './stages.ts';

/** What values may be, if a pattern cannot say it. */
const formats = {
  issuer: (value: string) => value === 'cognito' || isSecureUrl(value),
  'secure-url': isSecureUrl,
  origins: (list: string) =>
    list.split(',').every((origin) => URL.parse(origin.trim())?.origin === origin.trim()),
  audiences: (list: string) => namesIn(list).length > 0,
  'scope-prefix': isScopePrefix,
};

/** The keys that are flags only: the stage, which names the file, and what is for one deployment. */
const flags = {
  stage: {
    enum: stageNames,
    title: `one of ${stageNames.join(', ')}`,
    default: 'dev',
    description:
      'The stage: a stack of its own, `RecruitmentService-<stage>`, with the values of `infra/settings/stages.ts` and the settings of `infra/settings/<stage>.json`.',
  },
  rollOut: {
    enum: ['direct'],
    title: '`direct`',
    description:
      '`direct`: CloudFormation shifts all traffic at once, without the canary and its alarms.',
  },
} as const;

const { $schema, ...settings } = schema.properties;

/** What the value of a key must be, in words with examples, and what the key does. */
interface ContextKey {
  title: string;
  description: string;
  examples?: readonly string[];
  default?: string;
}

/** The keys of the CDK context that a deployment may set (`cdk deploy -c stage=prod …`). */
export const contextKeys: Readonly<Record<string, ContextKey>> = { ...flags, ...settings };

/** The keys that the file of a stage must have, because they decide who may read what. */
type Stated = 'issuer' | 'tenantClaim' | 'alarmEmail' | 'region';

type Optional = Exclude<keyof typeof settings, Stated | 'transitionPolicy'>;

/** What a deployment chooses, by the keys of the same names; `cognito`, `none` and `any` are left out. */
export interface Settings extends Partial<Record<Stated | Optional, string>> {
  stage: StageName;
  transitionPolicy: keyof typeof transitionPolicies;
  rollOut?: 'direct';
}

/** The settings as they are written, with `cognito`, `none` and `any`. */
export type WrittenSettings = Settings & Record<Stated, string> & { $schema?: string };

const ajv = new Ajv2020({ strict: true, strictRequired: false, useDefaults: true, formats });

/** Whether the content of a stage's file is allowed; adds the defaults. */
export const isStageFile = ajv.compile<object>(schema);

/** Whether the content of a stage's file, with what flags override, is allowed. */
export const isWritten = ajv.compile<WrittenSettings>({
  ...schema,
  required: [...schema.required, 'stage'],
  properties: { ...schema.properties, ...flags },
});

/** Whether an address is protected by TLS, or is of this machine. */
function isSecureUrl(value: string): boolean {
  const url = URL.parse(value);
  const isLocal =
    url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  return (url?.protocol === 'https:' || isLocal) && !/[\s?#]/.test(value);
}
