import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';

/** Findings fail the synth unless a construct acknowledges them (test/infra/stack/acknowledgements.txt). */
export function checkCompliance(app: App): void {
  Validations.of(app).addPlugins(
    new AwsSolutionsChecks(app),
    new ServerlessChecks(app),
    new NIST80053R5Checks(app),
  );
}
