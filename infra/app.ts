import { App } from 'aws-cdk-lib';
import { buildBundles } from './bundle/bundles.ts';
import { runCommand } from './cli/command.ts';
import { readSettings } from './settings/settings.ts';
import { checkCompliance } from './stack/compliance.ts';
import { addStacks } from './stacks.ts';

await runCommand('', async () => {
  const app = new App();
  const settings = readSettings(app.node);
  await buildBundles();
  // The CDK's own switch, which it heeds for its own validation alone.
  if (process.env.CDK_VALIDATION !== 'false') checkCompliance(app);
  addStacks(app, settings);
  return undefined;
});
