import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';

/**
 * A finding that no construct acknowledges fails the synth. test/infra/stack/acknowledgements.txt lists what is
 * acknowledged.
 */
export function checkCompliance(app: App): void {
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new ServerlessChecks(app),
    new NIST80053R5Checks(app),
  );
}
