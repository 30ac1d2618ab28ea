import { App } from 'aws-cdk-lib';
import { buildBundles } from './build/bundles.ts';
import { RecruitmentStack } from './recruitment-stack.ts';
import { readSettings } from './settings.ts';

await buildBundles();
const app = new App();
new RecruitmentStack(app, 'RecruitmentService', { settings: readSettings(app.node) });
