import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IDistribution } from 'aws-cdk-lib/aws-cloudfront';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  type LogGroup,
} from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, type CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { Stage } from '../../settings/stages.ts';
import { keptLog } from '../kept-log.ts';

interface EdgeLogsProps {
  stage: Stage;
  encryptionKey: IKey;
  webAcl: CfnWebACL;
  distribution: IDistribution;
}

/** Neither path nor query nor headers: they hold ids, and may hold anything. */
const ACCESS_LOG_FIELDS = [
  'date',
  'time',
  'c-ip',
  'cs-method',
  'cs-protocol',
  'cs-protocol-version',
  'ssl-protocol',
  'sc-status',
  'sc-bytes',
  'time-taken',
  'x-edge-location',
  'x-edge-request-id',
  'x-edge-result-type',
  'x-edge-detailed-result-type',
];

/** What the firewall minded and who called, for as long as the stage keeps its logs. */
export class EdgeLogs extends Construct {
  constructor(scope: Construct, id: string, props: EdgeLogsProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.firewallLog(keptLog(this, 'Firewall', props, `aws-waf-logs-${stackName}`), props.webAcl);
    this.accessLog(keptLog(this, 'Access', props), props.distribution, `${stackName}-access`);
  }

  /** Only what was counted or blocked: the access log has the rest. */
  private firewallLog(logGroup: LogGroup, webAcl: CfnWebACL): void {
    const actions = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'];
    new CfnLoggingConfiguration(this, 'FirewallLogging', {
      resourceArn: webAcl.attrArn,
      logDestinationConfigs: [arnOf(logGroup)],
      redactedFields: [
        { uriPath: {} },
        { queryString: {} },
        { singleHeader: { Name: 'authorization' } },
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: actions.map((Action) => ({ ActionCondition: { Action } })),
          },
        ],
      },
    });
  }

  private accessLog(logGroup: LogGroup, distribution: IDistribution, name: string): void {
    const source = new CfnDeliverySource(this, 'AccessSource', {
      name,
      logType: 'ACCESS_LOGS',
      resourceArn: distribution.distributionArn,
    });
    const destination = new CfnDeliveryDestination(this, 'AccessDestination', {
      name,
      outputFormat: 'json',
      destinationResourceArn: arnOf(logGroup),
    });
    new CfnDelivery(this, 'AccessDelivery', {
      deliverySourceName: source.name,
      deliveryDestinationArn: destination.attrArn,
      recordFields: ACCESS_LOG_FIELDS,
    }).addResourceDependency(source);
  }
}

/** In the form that AWS WAF documents, without the `:*` of CloudFormation's own attribute. */
const arnOf = (logGroup: LogGroup): string =>
  Stack.of(logGroup).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: logGroup.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
