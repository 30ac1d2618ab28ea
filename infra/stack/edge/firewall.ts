import { Stack } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { FirewallMode } from '../../settings/edge-settings.ts';
import type { Stage } from '../../settings/stages.ts';

interface FirewallProps {
  stage: Stage;
  mode: FirewallMode;
}

/** One client may take this part of what the stage lets through. */
const SHARE_OF_ONE_CLIENT = 0.5;
const WINDOW_SECONDS = 60;

/** In the order in which they look: what costs least, and spares the others most, comes first. */
const MANAGED_RULES = [
  'AWSManagedRulesAmazonIpReputationList',
  'AWSManagedRulesKnownBadInputsRuleSet',
  'AWSManagedRulesCommonRuleSet',
] as const;

/**
 * Rules that mind what the contract allows: percent-encoded ids make paths longer than their 1,024
 * bytes, and programs need not name themselves. They count in either mode.
 */
const ALWAYS_COUNTED = ['SizeRestrictions_URIPATH', 'NoUserAgent_HEADER'];

/** All that a request's text could carry; its path cannot be protected here, but in the log. */
const PROTECTED_FIELDS = [
  'SINGLE_HEADER',
  'SINGLE_COOKIE',
  'SINGLE_QUERY_ARGUMENT',
  'QUERY_STRING',
  'BODY',
];

/** The web ACL: rules that AWS keeps, and a limit for each client's address. */
export class Firewall extends Construct {
  readonly webAcl: CfnWebACL;

  constructor(scope: Construct, id: string, { stage, mode }: FirewallProps) {
    super(scope, id);
    const managed = MANAGED_RULES.map((name, index) => managedRule(name, index + 1, mode));
    this.webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      description: 'Recruitment service',
      defaultAction: { allow: {} },
      rules: [rateRule(stage, mode), ...managed],
      customResponseBodies: {
        // What API Gateway itself answers where it throttles.
        throttled: { contentType: 'APPLICATION_JSON', content: '{"message":"Too Many Requests"}' },
      },
      dataProtectionConfig: {
        dataProtections: PROTECTED_FIELDS.map((fieldType) => ({
          field: { fieldType },
          action: 'SUBSTITUTION',
        })),
      },
      visibilityConfig: visibility(Stack.of(this).stackName),
    });
  }
}

/** Requests of one address in a minute; the address is the one thing that a client cannot choose. */
function rateRule({ throttle }: Stage, mode: FirewallMode): CfnWebACL.RuleProperty {
  return {
    name: 'RateOfOneClient',
    priority: 0,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: 'IP',
        evaluationWindowSec: WINDOW_SECONDS,
        limit: Math.floor(throttle.requestsPerSecond * WINDOW_SECONDS * SHARE_OF_ONE_CLIENT),
      },
    },
    action: mode === 'count' ? { count: {} } : { block: { customResponse: TOO_MANY_REQUESTS } },
    visibilityConfig: visibility('RateOfOneClient'),
  };
}

const TOO_MANY_REQUESTS: CfnWebACL.CustomResponseProperty = {
  responseCode: 429,
  customResponseBodyKey: 'throttled',
  responseHeaders: [{ name: 'Retry-After', value: String(WINDOW_SECONDS) }],
};

function managedRule(
  name: (typeof MANAGED_RULES)[number],
  priority: number,
  mode: FirewallMode,
): CfnWebACL.RuleProperty {
  const ruleActionOverrides = ALWAYS_COUNTED.map((rule) => ({
    name: rule,
    actionToUse: { count: {} },
  }));
  return {
    name,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ...(name === 'AWSManagedRulesCommonRuleSet' && { ruleActionOverrides }),
      },
    },
    overrideAction: mode === 'count' ? { count: {} } : { none: {} },
    visibilityConfig: visibility(name),
  };
}

/** Metrics without samples of requests: a sample shows the whole path. */
const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
