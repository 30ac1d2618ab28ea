import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'constructs';
import { dev } from '../stages/dev.ts';
import { prod } from '../stages/prod.ts';
import type { Stage } from '../stages/stage.ts';
import { staging } from '../stages/staging.ts';
import { checkSettings, fileKeys, SettingsError, withoutAbsent } from './check-settings.ts';
import { checkDeployedRegion } from './regions.ts';
import {
  type Settings,
  type StageName,
  type StageSettings,
  settingsTable,
  stageNames,
} from './settings.ts';

export const stages: Readonly<Record<StageName, Stage>> = { dev, staging, prod };

/** `cdk acknowledge` and `cdk cli-telemetry` write these into cdk.context.json. */
const CDK_COMMAND_KEYS = ['acknowledged-issue-numbers', 'cli-telemetry'];
/** The CDK's other keys have a colon: `aws:cdk:…`, `@aws-cdk/…:…` and cached look-ups. */
const isCdkKey = (key: string) => key.includes(':') || CDK_COMMAND_KEYS.includes(key);

/** Where release 0.3.0 and earlier kept settings. After a merge, files that you had changed are still there. */
const EARLIER_FOLDER = join(import.meta.dirname, '../../settings');

/**
 * Reads the stage's file. Flags (`cdk deploy -c key=value`) override it.
 * @param own replaces the settings in the stage's file.
 * @param variables of the environment; the CDK puts the credentials' region there.
 * @param earlier folder of settings that are no longer read.
 * @throws SettingsError that says what is wrong and what to write.
 */
export function readSettings(
  node: Node,
  own?: StageSettings,
  variables: { CDK_DEFAULT_REGION?: string } = process.env,
  earlier = EARLIER_FOLDER,
): Settings {
  refuseEarlierFiles(earlier);
  const all: Record<string, unknown> = node.getAllContext();
  const flags = Object.fromEntries(Object.entries(all).filter(([key]) => !isCdkKey(key)));
  const stage = stageNames.find((name) => name === (flags.stage ?? settingsTable.stage.default));
  if (stage === undefined)
    throw new SettingsError(`The context key stage must be ${settingsTable.stage.rule}.`);
  const file = `infra/stack/stages/${stage}.ts`;
  const fileSettings = own ?? stages[stage].settings;
  // Checked without flags too: forgetting a flag must not change who may read what.
  checkSettings({ ...fileSettings }, `${file} without flags (-c)`, fileKeys);
  const overridden: Record<string, unknown> = { ...fileSettings, ...flags };
  checkSettings(overridden, `${file} with flags (-c)`);
  const transitionPolicy = settingsTable.transitionPolicy.default;
  const settings = { transitionPolicy, ...withoutAbsent(overridden), stage };
  checkStage(settings);
  const deployedTo = settings.region ?? variables.CDK_DEFAULT_REGION;
  if (deployedTo !== undefined) checkDeployedRegion(deployedTo);
  return settings;
}

function refuseEarlierFiles(folder: string): void {
  const names = globSync('*.json', { cwd: folder }).toSorted();
  if (names.length === 0) return;
  throw new SettingsError(
    `Nothing reads ${names.map((name) => `infra/settings/${name}`).join(', ')} any more. Move the settings to the ` +
      "stages' files in infra/stack/stages, and delete the old files.",
  );
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
