import { RegionInfo } from 'aws-cdk-lib/region-info';
import { SettingsError } from './settings.ts';

/** As of November 2026, from `botocore/data/endpoints.json` of botocore 1.44.5. */
const WITHOUT_PIPES = [
  ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ...['ca-west-1', 'il-central-1', 'mx-central-1'],
];

/** @throws SettingsError that says why the service does not work in the region. */
export function checkDeployedRegion(region: string): void {
  const { partition = 'aws' } = RegionInfo.get(region);
  if (partition !== 'aws') {
    throw new SettingsError(
      `The region ${region} belongs to the partition ${partition}. Use a region of the partition aws: infra/scripts knows no other.`,
    );
  }
  if (WITHOUT_PIPES.includes(region)) {
    throw new SettingsError(
      `The region ${region} has no EventBridge Pipes, which the stack needs to publish status changes. Use another region.`,
    );
  }
}
