import { diff } from 'node:util';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { type Settings, SettingsError } from './settings.ts';

/** Regions without a service, as of November 2026, from `botocore/data/endpoints.json` of botocore 1.44.5. */
const regionsWithout = {
  'EventBridge Pipes': [
    ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
    ...['ca-west-1', 'il-central-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
  ],
  Cognito: ['cn-north-1', 'cn-northwest-1'],
} as const satisfies Record<string, readonly string[]>;

/**
 * Warns of a region that the CDK does not know. Not an error, because it may be newer than the library, and not an
 * annotation, which `cdk synth --strict` makes an error.
 * @throws SettingsError that names a service which the region lacks.
 */
export function checkServices(region: string, { issuer }: Pick<Settings, 'issuer'>): void {
  const known = RegionInfo.regions.map(({ name }) => name);
  if (!known.includes(region)) {
    const distances = known.map((name) => ({ name, edits: editsBetween(region, name) }));
    const nearest = distances.reduce((best, it) => (it.edits < best.edits ? it : best));
    process.emitWarning(`The region ${region} is not known. Do you mean ${nearest.name}?`);
  }
  const lacks = (service: keyof typeof regionsWithout) =>
    regionsWithout[service].some((name) => name === region);
  if (lacks('EventBridge Pipes')) {
    throw new SettingsError(
      `The region ${region} has no EventBridge Pipes, which the stack needs to publish status changes. Use another region.`,
    );
  }
  if (lacks('Cognito') && issuer === undefined) {
    throw new SettingsError(
      `The region ${region} has no Cognito. Set issuer to an issuer of your own, or use another region.`,
    );
  }
}

const editsBetween = (one: string, other: string) =>
  diff(one, other).filter(([operation]) => operation !== 0).length;
