import type { Node } from 'constructs';
import { splitList } from '../../functions/domain/split-list.ts';
import { checkDeployedRegion } from './regions.ts';
import {
  checkSettings,
  expected,
  fileKeys,
  flagKeys,
  type Settings,
  SettingsError,
  type StageName,
  type StageSettings,
  settingsTable,
  stageNames,
  type WrittenSettings,
} from './settings.ts';
import { dev } from './stages/dev.ts';
import { prod } from './stages/prod.ts';
import type { Stage } from './stages/stage.ts';
import { staging } from './stages/staging.ts';

export const stages: Readonly<Record<StageName, Stage>> = { dev, staging, prod };

/** `cdk acknowledge` and `cdk cli-telemetry` write these into cdk.context.json. */
const CDK_COMMAND_KEYS = ['acknowledged-issue-numbers', 'cli-telemetry'];
/** The CDK's other keys have a colon: `aws:cdk:…`, `@aws-cdk/…:…` and cached look-ups. */
const isCdkKey = (key: string) => key.includes(':') || CDK_COMMAND_KEYS.includes(key);

/** The endpoint of a stack without `databaseEndpoint`. The group is the region. */
const DEFAULT_ENDPOINT = /^https:\/\/dynamodb\.([a-z0-9-]+)\.amazonaws\.com\/?$/;

/**
 * From the stage's file, overridden by flags (`cdk deploy -c key=value`). Leaves out `cognito`, `none`, `any` and the
 * default endpoint, so that writing them changes neither the template nor the logical id of a function version.
 * @param own replaces the settings in the stage's file.
 * @param variables with the credentials' region, which the CDK sets.
 * @throws SettingsError that says what is wrong and what to write.
 */
export function readSettings(
  node: Node,
  own?: StageSettings,
  variables: { CDK_DEFAULT_REGION?: string } = process.env,
): Settings {
  const all: Record<string, unknown> = node.getAllContext();
  const flags = Object.fromEntries(Object.entries(all).filter(([key]) => !isCdkKey(key)));
  const stage = stageNames.find((name) => name === (flags.stage ?? 'dev'));
  if (stage === undefined)
    throw new SettingsError(`The context key stage must be ${expected('stage')}.`);
  const file = `infra/stack/stages/${stage}.ts`;
  const written: Record<string, unknown> = { ...(own ?? stages[stage].settings) };
  const flag = flagKeys.find((key) => key in written);
  if (flag !== undefined)
    throw new SettingsError(`${file}: ${flag} cannot be set in a file. Use a flag, -c ${flag}=….`);
  // The file must also be valid without flags: forgetting a flag must not change who may read what.
  checkSettings(written, file, fileKeys);
  const overridden: Record<string, unknown> = { ...written, ...flags };
  checkSettings(overridden, `${file} with flags (-c)`);
  checkRegion(overridden);
  const { issuer, tenantClaim, alarmEmail, region, databaseEndpoint, ...others } = overridden;
  const isDefault = DEFAULT_ENDPOINT.test(databaseEndpoint ?? '');
  const settings: Settings = {
    transitionPolicy: settingsTable.transitionPolicy.default,
    ...others,
    stage,
    ...(issuer !== 'cognito' && { issuer }),
    ...(tenantClaim !== 'none' && { tenantClaim }),
    ...(alarmEmail !== 'none' && { alarmEmail }),
    ...(region !== 'any' && { region }),
    ...(databaseEndpoint !== undefined && !isDefault && { databaseEndpoint }),
  };
  checkStage(settings);
  const deployedTo = settings.region ?? variables.CDK_DEFAULT_REGION;
  if (deployedTo !== undefined) checkDeployedRegion(deployedTo);
  return settings;
}

/** A certificate, a stream, KMS keys and the DynamoDB endpoint must all be in the stack's region. */
function checkRegion(written: WrittenSettings): void {
  const { region, certificateArn, restoredTableStream, filesKey, databaseEndpoint } = written;
  const [, endpointRegion] = DEFAULT_ENDPOINT.exec(databaseEndpoint ?? '') ?? [];
  const regionsOf = (arns: string | undefined) => splitList(arns).map((arn) => arn.split(':')[3]);
  const named = {
    certificateArn: regionsOf(certificateArn),
    restoredTableStream: regionsOf(restoredTableStream),
    filesKey: regionsOf(filesKey),
    databaseEndpoint: endpointRegion === undefined ? [] : [endpointRegion],
  };
  for (const [key, regions] of Object.entries(named)) {
    const other = regions.find((it) => it !== region);
    if (other === undefined) continue;
    throw new SettingsError(
      `The key ${key} names a resource in ${other}, but the key region is ${region}. Set region ` +
        `to ${other}${region === 'any' ? '' : `, or use a resource in ${region}`}.`,
    );
  }
}

/** Another stage's restored table would let this stage read and change that stage's data. */
function checkStage({ restoredTableStream, alarmEmail, stage }: Settings): void {
  if (alarmEmail !== undefined && stages[stage].alarms === undefined) {
    throw new SettingsError(`The stage ${stage} has no alarms. Set alarmEmail to none.`);
  }
  const table = /:table\/([^/]+)/.exec(restoredTableStream ?? '')?.[1];
  if (table === undefined || table.split(/[-_.]/).includes(stage)) return;
  throw new SettingsError(
    `The key restoredTableStream names the table ${table}, which does not belong to the stage ${stage}. ` +
      'The name of a restored table must contain the name of its stage, such as restored-prod.',
  );
}
