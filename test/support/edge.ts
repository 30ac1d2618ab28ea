import { Template } from 'aws-cdk-lib/assertions';
import { readSettings } from '../../infra/settings/settings.ts';
import { addStacks } from '../../infra/stacks.ts';
import { appOf } from './stack.ts';

const certificate = (region: string, digit: string) =>
  `arn:aws:acm:${region}:111122223333:certificate/${digit.repeat(8)}-1234-1234-1234-123456789012`;

/** The context of an API with a name of its own. */
export const customDomain = {
  domainName: 'api.example.com',
  certificateArn: certificate('eu-west-1', '1'),
};

/** The context of an API behind the firewall. */
export const behindFirewall = {
  domainName: 'api.example.com',
  certificateArn: certificate('us-east-1', '2'),
  firewall: 'block',
  originDomainName: 'origin.example.com',
  originCertificateArn: certificate('eu-west-1', '3'),
  originClientCertificateArn: certificate('us-east-1', '4'),
  trustStore: 's3://example-trust/authority.pem',
};

/** The templates of all stacks of a deployment with this context, by their names. */
export function templatesOf(context: Record<string, string>): Map<string, Template> {
  const app = appOf(context);
  return new Map(
    addStacks(app, readSettings(app.node)).map((stack) => [
      stack.stackName,
      Template.fromStack(stack),
    ]),
  );
}

/** The template of the edge of a deployment in production with this context. */
export function edgeTemplateOf(context: Record<string, string> = behindFirewall): Template {
  const template = templatesOf({ stage: 'prod', ...context }).get('RecruitmentEdge-prod');
  if (template === undefined) throw new Error('The deployment has no edge.');
  return template;
}
