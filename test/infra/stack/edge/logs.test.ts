import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { edgeTemplateOf } from '../../../support/edge.ts';
import { propertiesOf } from '../../../support/stack.ts';

const template = edgeTemplateOf();

const idOf = (type: string) => Object.keys(template.findResources(type))[0];

describe('the log of the firewall', () => {
  it('has what was counted or blocked, without path, query or token', () => {
    template.hasResourceProperties('AWS::WAFv2::LoggingConfiguration', {
      ResourceArn: { 'Fn::GetAtt': [idOf('AWS::WAFv2::WebACL'), 'Arn'] },
      RedactedFields: [
        { UriPath: {} },
        { QueryString: {} },
        { SingleHeader: { Name: 'authorization' } },
      ],
      LoggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({
              ActionCondition: { Action },
            })),
          },
        ],
      },
    });
  });

  it('goes to a group with the name that AWS WAF asks for, one for each stage', () => {
    const [id] = Object.keys(
      template.findResources('AWS::Logs::LogGroup', {
        Properties: { LogGroupName: 'aws-waf-logs-RecruitmentEdge-prod' },
      }),
    );
    template.hasResourceProperties('AWS::WAFv2::LoggingConfiguration', {
      LogDestinationConfigs: [
        {
          'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':log-group:$'), { Ref: id }])],
        },
      ],
    });
  });
});

describe('the access log', () => {
  it('is delivered from CloudFront as JSON', () => {
    template.hasResourceProperties('AWS::Logs::DeliverySource', {
      Name: 'RecruitmentEdge-prod-access',
      LogType: 'ACCESS_LOGS',
      ResourceArn: {
        'Fn::Join': ['', Match.arrayWith([{ Ref: idOf('AWS::CloudFront::Distribution') }])],
      },
    });
    template.hasResourceProperties('AWS::Logs::DeliveryDestination', { OutputFormat: 'json' });
    template.hasResource('AWS::Logs::Delivery', {
      Properties: {
        DeliverySourceName: 'RecruitmentEdge-prod-access',
        DeliveryDestinationArn: {
          'Fn::GetAtt': [idOf('AWS::Logs::DeliveryDestination'), 'Arn'],
        },
      },
      DependsOn: [idOf('AWS::Logs::DeliverySource')],
    });
  });

  it('has the address of the client and the status, and no path, query or header', () => {
    const [delivery] = propertiesOf(template, 'AWS::Logs::Delivery');
    const fields = delivery?.RecordFields as string[];
    expect(fields).toEqual(expect.arrayContaining(['c-ip', 'sc-status', 'x-edge-request-id']));
    expect(
      fields.filter((field) => /uri|query|\(|cookie|referer|agent|header/i.test(field)),
    ).toEqual([]);
  });
});

describe('both logs', () => {
  it('are encrypted with a key of the edge, and kept as long as the stage keeps logs', () => {
    template.resourceCountIs('AWS::Logs::LogGroup', 2);
    template.allResources('AWS::Logs::LogGroup', {
      DeletionPolicy: 'Retain',
      Properties: {
        RetentionInDays: 180,
        KmsKeyId: { 'Fn::GetAtt': [idOf('AWS::KMS::Key'), 'Arn'] },
      },
    });
    template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
  });
});
