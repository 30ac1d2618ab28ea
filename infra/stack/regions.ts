import { type Settings, SettingsError } from './settings.ts';

/** Regions without a service, as of November 2026, from `botocore/data/endpoints.json` of botocore 1.44.5. */
const regionsWithout = {
  'EventBridge Pipes': [
    ...['ap-east-2', 'ap-southeast-4', 'ap-southeast-5', 'ap-southeast-6', 'ap-southeast-7'],
    ...['ca-west-1', 'il-central-1', 'mx-central-1', 'us-gov-east-1', 'us-gov-west-1'],
  ],
  Cognito: ['cn-north-1', 'cn-northwest-1'],
} as const satisfies Record<string, readonly string[]>;

/** @throws SettingsError that names a service which the region lacks. */
export function checkServices(region: string, { issuer }: Pick<Settings, 'issuer'>): void {
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
