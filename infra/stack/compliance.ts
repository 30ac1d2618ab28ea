import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';

/**
 * Checks the app with cdk-nag at every synth, which then fails on any finding that no construct
 * acknowledges. All acknowledgements are listed in test/infra/stack/acknowledgements.txt.
 */
export function checkCompliance(app: App): void {
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new ServerlessChecks(app),
    new NIST80053R5Checks(app),
  );
}
