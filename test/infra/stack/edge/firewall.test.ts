import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { behindFirewall, edgeTemplateOf, templatesOf } from '../../../support/edge.ts';
import { propertiesOf } from '../../../support/stack.ts';

interface Rule {
  Name: string;
  Priority: number;
  Action?: unknown;
  OverrideAction?: unknown;
  Statement: Record<string, Record<string, unknown>>;
  VisibilityConfig: { SampledRequestsEnabled: boolean };
}

const template = edgeTemplateOf();

const rulesOf = (of = template): Rule[] => {
  const [webAcl] = propertiesOf(of, 'AWS::WAFv2::WebACL');
  return webAcl?.Rules as unknown as Rule[];
};

describe('the firewall', () => {
  it('is that of CloudFront, and lets through what no rule minds', () => {
    template.resourceCountIs('AWS::WAFv2::WebACL', 1);
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'CLOUDFRONT',
      DefaultAction: { Allow: {} },
    });
  });

  it("has AWS's rules for bad addresses, known bad input and common attacks", () => {
    const groups = rulesOf().flatMap(({ Statement, OverrideAction }) => {
      const group = Statement.ManagedRuleGroupStatement;
      return group === undefined ? [] : [[group.VendorName, group.Name, OverrideAction]];
    });
    expect(groups).toEqual([
      ['AWS', 'AWSManagedRulesAmazonIpReputationList', { None: {} }],
      ['AWS', 'AWSManagedRulesKnownBadInputsRuleSet', { None: {} }],
      ['AWS', 'AWSManagedRulesCommonRuleSet', { None: {} }],
    ]);
    expect(new Set(rulesOf().map(({ Priority }) => Priority)).size).toBe(4);
  });

  it('only counts what the contract allows: long paths, and no User-Agent', () => {
    const overrides = rulesOf().flatMap(
      ({ Statement }) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? [],
    );
    expect(overrides).toEqual([
      { Name: 'SizeRestrictions_URIPATH', ActionToUse: { Count: {} } },
      { Name: 'NoUserAgent_HEADER', ActionToUse: { Count: {} } },
    ]);
  });

  it.each([
    ['dev', 150],
    ['staging', 300],
    ['prod', 900],
  ])('answers 429 to an address that takes half of what %s lets through', (stage, limit) => {
    const edge = templatesOf({ ...behindFirewall, stage }).get(`RecruitmentEdge-${stage}`);
    edge?.hasResourceProperties('AWS::WAFv2::WebACL', {
      Rules: Match.arrayWith([
        Match.objectLike({
          Priority: 0,
          Statement: {
            RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: limit },
          },
          Action: {
            Block: {
              CustomResponse: {
                ResponseCode: 429,
                CustomResponseBodyKey: 'throttled',
                ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
              },
            },
          },
        }),
      ]),
      CustomResponseBodies: {
        throttled: {
          ContentType: 'APPLICATION_JSON',
          Content: '{"message":"Too Many Requests"}',
        },
      },
    });
    expect(edge).toBeDefined();
  });

  it('refuses nothing where it only counts', () => {
    const actions = rulesOf(edgeTemplateOf({ ...behindFirewall, firewall: 'count' })).map(
      ({ Action, OverrideAction }) => Action ?? OverrideAction,
    );
    expect(actions).toEqual(Array(4).fill({ Count: {} }));
  });
});

describe('what the firewall keeps of a request', () => {
  it('is no sample of it', () => {
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      VisibilityConfig: { SampledRequestsEnabled: false },
    });
    for (const { VisibilityConfig: config } of rulesOf()) {
      expect(config.SampledRequestsEnabled).toBe(false);
    }
  });

  it('is none of its headers, cookies, arguments, query or body', () => {
    const protect = (FieldType: string) => ({ Action: 'SUBSTITUTION', Field: { FieldType } });
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      DataProtectionConfig: {
        DataProtections: [
          protect('SINGLE_HEADER'),
          protect('SINGLE_COOKIE'),
          protect('SINGLE_QUERY_ARGUMENT'),
          protect('QUERY_STRING'),
          protect('BODY'),
        ],
      },
    });
  });
});
