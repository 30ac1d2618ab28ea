import { App } from 'aws-cdk-lib';
import { buildBundles } from './stack/bundle/bundles.ts';
import { checkCompliance } from './stack/compliance.ts';
import { readSettings } from './stack/read-settings.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';

const app = new App();
const settings = readSettings(app.node);
await buildBundles();
checkCompliance(app);
new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });
