import { App } from 'aws-cdk-lib';
import { buildBundles } from './stack/bundle/bundles.ts';
import { checkCompliance } from './stack/compliance.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';
import { SettingsError } from './stack/settings/check-settings.ts';
import { readSettings } from './stack/settings/read-settings.ts';
import type { Settings } from './stack/settings/settings.ts';

const app = new App();
const settings = settingsOrExit();
await buildBundles();
checkCompliance(app);
new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });

/** Prints the message without a stack trace, which would bury it. */
function settingsOrExit(): Settings {
  try {
    return readSettings(app.node);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
