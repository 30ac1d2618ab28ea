import { CfnOutput } from 'aws-cdk-lib';
import {
  ARecord,
  HostedZone,
  type IAliasRecordTarget,
  RecordTarget,
} from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';

interface PointedName {
  /** The name that clients call. */
  name: string;
  /** The zone in Route 53 that has it; without one, its owner is told where to point it. */
  hostedZoneId: string | undefined;
  /** What it stands for, as an alias and as a name. */
  alias: IAliasRecordTarget;
  target: string;
  /** The stack's output that says where. */
  output: string;
}

/** Makes a name's record where DNS is ours, and else an output that says what to make. */
export function pointName(scope: Construct, pointed: PointedName): void {
  const { name, hostedZoneId, alias, target, output } = pointed;
  if (hostedZoneId === undefined) {
    new CfnOutput(scope, 'Target', {
      value: target,
      description: `Make a CNAME record of ${name} that points here`,
    }).overrideLogicalId(output);
    return;
  }
  new ARecord(scope, 'Record', {
    zone: HostedZone.fromHostedZoneId(scope, 'Zone', hostedZoneId),
    // The final dot makes the name absolute: the zone's own name is not known.
    recordName: `${name}.`,
    target: RecordTarget.fromAlias(alias),
  });
}
