import { diff } from 'node:util';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { SettingsError } from './check-settings.ts';

/** As of November 2026, from `botocore/data/endpoints.json` of botocore 1.44.5. */
const WITHOUT_PIPES = [
  ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
  ...['ca-west-1', 'il-central-1', 'mx-central-1'],
];

/**
 * Warns about a region that the CDK does not know. Not an error, because it may be newer than the library, and not an
 * annotation, which `cdk synth --strict` makes an error.
 * @throws SettingsError that says why the service does not work in the region.
 */
export function checkDeployedRegion(region: string): void {
  const known = RegionInfo.regions.map(({ name }) => name);
  if (!known.includes(region)) {
    const distances = known.map((name) => ({ name, edits: editsBetween(region, name) }));
    const nearest = distances.reduce((best, it) => (it.edits < best.edits ? it : best));
    process.emitWarning(`The region ${region} is not known. Do you mean ${nearest.name}?`);
  }
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

const editsBetween = (one: string, other: string) =>
  diff(one, other).filter(([operation]) => operation !== 0).length;
