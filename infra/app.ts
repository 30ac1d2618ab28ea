import { App } from 'aws-cdk-lib';
import { buildBundles } from './bundle/bundles.ts';
import { readSettings } from './settings/settings.ts';
import { checkCompliance } from './stack/compliance.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';

const app = new App();
// `npm start` passes its own settings file.
const settings = readSettings(app.node, process.argv[2]);
await buildBundles();
// The CDK's own switch for template validation also turns off our compliance checks.
if (process.env.CDK_VALIDATION !== 'false') checkCompliance(app);
new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });
