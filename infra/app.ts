import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { buildBundles } from './build/bundles.ts';
import { RecruitmentStack } from './recruitment-stack.ts';
import { readSettings } from './settings.ts';

await buildBundles();
const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
new RecruitmentStack(app, 'RecruitmentService', { settings: readSettings(app.node) });
