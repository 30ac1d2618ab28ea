import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect } from 'vitest';
import cdk from '../../../cdk.json' with { type: 'json' };
import { operationNames } from '../../../functions/operations/operations.ts';
import { LOCAL_BUCKET } from '../../../infra/data/table/files-bucket.ts';
import { tableDefinition, timeToLiveDefinition } from '../../../infra/local/local-table.ts';
import { serviceTest as it } from '../../support/local-service.ts';
import { appOf, propertiesOf, stackOf } from '../../support/stack.ts';

// Settings that docs/local.md uses for SAM. The CDK's command line derives `aws:cdk:enable-asset-metadata` from
// `assetMetadata` in cdk.json; `appOf` does not, so it is set here.
const app = appOf({
  stage: 'dev',
  filesBucket: LOCAL_BUCKET,
  ...(cdk.assetMetadata && { 'aws:cdk:enable-asset-metadata': 'true' }),
});
const template = Template.fromStack(stackOf(app));
const { directory } = app.synth();

interface Function {
  Properties: { Handler: string; Environment: { Variables: object } };
  Metadata: Record<string, string>;
}
const functions = Object.values(template.findResources('AWS::Lambda::Function')) as Function[];

describe('the table of npm start', () => {
  it("is the stack's, but for the stream", () => {
    const [properties] = propertiesOf(template, 'AWS::DynamoDB::Table');
    expect(properties).toMatchObject(tableDefinition);
    expect(properties?.TimeToLiveSpecification).toEqual(timeToLiveDefinition);
    const indexed = { GlobalSecondaryIndexes: properties?.GlobalSecondaryIndexes };
    expect(tableDefinition).toMatchObject(indexed);
  });
});

describe('the template, for the SAM CLI', () => {
  /**
   * SAM CLI 1.170.0 (`resource_metadata_normalizer.py`) replaces the property that `aws:asset:property` names with
   * `aws:asset:path`, and takes a folder at that path for the code.
   */
  it('has the code of each function where the SAM CLI looks for it', () => {
    expect(functions).toHaveLength(operationNames.length);
    for (const { Properties, Metadata } of functions) {
      expect(Metadata['aws:asset:property']).toBe('Code');
      const [module] = Properties.Handler.split('.');
      const path = join(directory, String(Metadata['aws:asset:path']), `${module}.mjs`);
      expect(existsSync(path)).toBe(true);
    }
  });

  it('has no variable without a local value in the file that npm start writes', ({ running }) => {
    const { Parameters } = JSON.parse(readFileSync(join(running.data, 'sam.json'), 'utf8'));
    for (const { Properties } of functions) {
      const names = Object.keys(Properties.Environment.Variables);
      expect(Object.keys(Parameters)).toEqual(expect.arrayContaining(names));
    }
  });
});
