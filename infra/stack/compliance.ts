import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';

/**
 * Adds cdk-nag's checks to each synth. A synth fails if cdk-nag has a finding that no construct acknowledges. The file
 * test/infra/stack/acknowledgements.txt lists all acknowledgements.
 */
export function checkCompliance(app: App): void {
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new ServerlessChecks(app),
    new NIST80053R5Checks(app),
  );
}
