import { App } from 'aws-cdk-lib';
import { buildBundles } from './stack/bundle/bundles.ts';
import { checkCompliance } from './stack/compliance.ts';
import { readSettings } from './stack/read-settings.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';

const app = new App();
const settings = readSettings(app.node);
await buildBundles();
// The CDK's own switch for template validation also turns off our compliance checks.
if (process.env.CDK_VALIDATION !== 'false') checkCompliance(app);
new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });
