// Safeguards that cdk-nag's rule packs do not check.
import { describe, expect, it } from 'vitest';
import { stages } from '../../../infra/stack/settings/read-settings.ts';
import { stageNames } from '../../../infra/stack/settings/settings.ts';
import { deployments } from '../../support/deployments.ts';
import { appOf, propertiesOf, stackOf, templateOf } from '../../support/stack.ts';

describe.each(deployments)('%s', (_, context) => {
  const template = templateOf(context);
  const text = JSON.stringify(template.toJSON());
  const resources = Object.values<{ Type: string }>(template.toJSON().Resources);

  it('leaves paths and queries out of the access log', () => {
    const [{ AccessLogSettings: log } = {}] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage');
    const { Format: format } = log as { Format: string };
    expect(JSON.parse(format)).toMatchObject({ request_id: '$context.requestId' });
    expect(format).not.toMatch(/\$context\.(path|httpMethod\/|.*query)/i);
  });

  it('replicates nothing to other regions, and names none', () => {
    const types = resources.map(({ Type }) => Type);
    expect(types).not.toContain('AWS::DynamoDB::GlobalTable');
    expect(types).not.toContain('AWS::KMS::ReplicaKey');
    expect(text).not.toMatch(/"(Replicas?|ReplicaRegions|ReplicationConfiguration)":/);
    const regions = text.match(/\b[a-z]{2}(-[a-z]+)+-\d\b/g) ?? [];
    const named = Object.values(context).join(' ');
    expect(regions.filter((region) => !named.includes(region))).toEqual([]);
  });

  it('keeps resources of a creation that is rolled back only if they protect data and have generated names', () => {
    const kept = Object.values<{ Type: string; DeletionPolicy?: string; Properties: object }>(
      template.toJSON().Resources,
    ).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
    const types = new Set(kept.map(({ Type }) => Type));
    const expected = ['AWS::Cognito::UserPool', 'AWS::DynamoDB::Table', 'AWS::KMS::Key'];
    expect(expected).toEqual(expect.arrayContaining([...types]));
    for (const { Properties } of kept) {
      expect(
        Object.keys(Properties).filter((name) => /^(Table|UserPool|Alias)?Name$/.test(name)),
      ).toEqual([]);
    }
  });
});

it.each(stageNames)('the stack of %s is protected from deletion if it keeps its data', (name) => {
  const { terminationProtection } = stackOf(appOf({ stage: name }));
  expect(terminationProtection).toBe(stages[name].keepsData);
});

describe('the region', () => {
  it("is the pinned region, or by default the credentials' region", () => {
    expect(stackOf(appOf()).environment).toBe('aws://unknown-account/unknown-region');
    const pinned = stackOf(appOf({ region: 'sa-east-1' }));
    expect(pinned.environment).toBe('aws://unknown-account/sa-east-1');
  });
});
