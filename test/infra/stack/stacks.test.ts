import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../infra/settings/settings.ts';
import { stages } from '../../../infra/settings/stages.ts';
import { EdgeStack } from '../../../infra/stack/edge/edge-stack.ts';
import { addStacks } from '../../../infra/stacks.ts';
import { behindFirewall, customDomain } from '../../support/edge.ts';
import { appOf } from '../../support/stack.ts';

const stacksOf = (context: Record<string, string>) => {
  const app = appOf(context);
  return { app, stacks: addStacks(app, readSettings(app.node)) };
};

describe('the stacks of a deployment', () => {
  it.each([
    ['of the default', {}, ['RecruitmentService-dev']],
    ['with a domain', { ...customDomain, stage: 'prod' }, ['RecruitmentService-prod']],
    ['with a firewall', behindFirewall, ['RecruitmentService-dev', 'RecruitmentEdge-dev']],
  ])('are named after the stage: %s', (_, context, names) => {
    expect(stacksOf(context).stacks.map(({ stackName }) => stackName)).toEqual(names);
  });

  it('have the edge in us-east-1, after the service, which goes where it is sent', () => {
    const { app, stacks } = stacksOf(behindFirewall);
    const [service, edge] = stacks;
    expect(edge?.region).toBe('us-east-1');
    expect(edge?.dependencies).toEqual([service]);
    const { stacks: synthesized } = app.synth();
    expect(synthesized.map(({ environment }) => environment.region)).toEqual([
      'unknown-region',
      'us-east-1',
    ]);
  });
});

describe('the compliance of the edge', () => {
  it.each([
    ['a domain', customDomain],
    [
      'a domain and a trust store',
      { ...customDomain, trustStore: behindFirewall.trustStore, hostedZoneId: 'Z1' },
    ],
    ['a firewall', behindFirewall],
    ['a firewall that counts', { ...behindFirewall, firewall: 'count', hostedZoneId: 'Z1' }],
  ])('has no finding of AwsSolutions or Serverless with %s', (_, context) => {
    const { app } = stacksOf(context);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  it('has no finding of NIST 800-53 in front of the API', () => {
    const app = appOf(behindFirewall);
    const { firewall } = readSettings(app.node);
    if (firewall === undefined) throw new Error('The deployment has no firewall.');
    new EdgeStack(app, 'Edge', { stage: stages.prod, alarmEmail: undefined, settings: firewall });
    Validations.of(app).addPlugins(new NIST80053R5Checks(app));
    expect(() => synth(app)).not.toThrow();
  });
});

const synth = (app: App) => app.synth();
