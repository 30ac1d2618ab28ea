import { App } from 'aws-cdk-lib';
import { buildBundles } from './bundle/bundles.ts';
import { readSettings } from './settings/settings.ts';
import { checkCompliance } from './stack/compliance.ts';
import { RecruitmentStack } from './stack/recruitment-stack.ts';

const app = new App();
// The local service has a file of its own.
const settings = readSettings(app.node, process.argv[2]);
await buildBundles();
// The CDK's own switch for its validation of templates; ours follows it.
if (process.env.CDK_VALIDATION !== 'false') checkCompliance(app);
new RecruitmentStack(app, `RecruitmentService-${settings.stage}`, { settings });
