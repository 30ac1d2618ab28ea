import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { buildBundles } from './build/bundles.ts';
import { runCommand } from './commands/command.ts';
import { readSettings } from './settings.ts';
import { addStacks } from './stacks.ts';

await runCommand('', async () => {
  const app = new App();
  const settings = readSettings(app.node);
  await buildBundles();
  // The CDK's own switch, which it heeds for its own validation alone.
  if (process.env.CDK_VALIDATION !== 'false') {
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  }
  addStacks(app, settings);
  return undefined;
});
