import {
  certificateArn,
  hostedZoneId,
  hostName,
  type NeededRegion,
  type Read,
  type TrustStore,
  trustStore,
} from './edge-values.ts';

/** The name under which API Gateway answers. */
export interface ApiDomainSettings {
  name: string;
  certificateArn: string;
  /** Where it is given, whoever connects must present a certificate of it (mutual TLS). */
  trustStore: TrustStore | undefined;
  hostedZoneId: string | undefined;
}

/** What the firewall does with a request that it minds: let it pass and count it, or refuse it. */
export type FirewallMode = 'count' | 'block';

/** CloudFront with the firewall, in front of the API. */
export interface FirewallSettings {
  mode: FirewallMode;
  /** The name under which clients call, and its certificate. */
  domainName: string;
  certificateArn: string;
  /** The API's own name, and the certificate that CloudFront presents there. */
  originDomainName: string;
  clientCertificateArn: string;
  hostedZoneId: string | undefined;
}

/** What stands between clients and the API: nothing, a name of the deployment's own, a firewall. */
export interface EdgeSettings {
  apiDomain: ApiDomainSettings | undefined;
  firewall: FirewallSettings | undefined;
}

const OF_FIREWALL = ['originDomainName', 'originCertificateArn', 'originClientCertificateArn'];

/** The keys of the CDK context that are read here. */
export const edgeKeys: readonly string[] = [
  'domainName',
  'certificateArn',
  'hostedZoneId',
  'trustStore',
  'trustStoreVersion',
  'firewall',
  ...OF_FIREWALL,
];

/** CloudFront and its firewall are configured in this region alone, whatever they stand before. */
export const EDGE_REGION = 'us-east-1';

const OF_CLOUDFRONT: NeededRegion = {
  name: EDGE_REGION,
  remedy: 'CloudFront takes certificates of that region alone',
};

/**
 * Reads and checks the settings of the edge.
 * @param region of the deployment, where it is known.
 * @throws Error that names the context key which is missing or wrong, and what to do.
 */
export function readEdgeSettings(read: Read, region: string | undefined): EdgeSettings {
  const isSet = (key: string) => read(key) !== undefined;
  if (!isSet('domainName')) {
    refuse(edgeKeys.find(isSet), 'a custom domain: set domainName too');
    return { apiDomain: undefined, firewall: undefined };
  }
  const mode = firewallMode(read('firewall'));
  if (mode !== undefined) return behindFirewall(read, mode, region);
  refuse(OF_FIREWALL.find(isSet), 'a firewall: set firewall too');
  return {
    apiDomain: apiDomain(read, 'domainName', 'certificateArn', region),
    firewall: undefined,
  };
}

function refuse(stray: string | undefined, owner: string): void {
  if (stray !== undefined) throw new Error(`The context key ${stray} belongs to ${owner}.`);
}

function firewallMode(mode: string | undefined): FirewallMode | undefined {
  if (mode === undefined || mode === 'count' || mode === 'block') return mode;
  throw new Error('The context key firewall must be count or block.');
}

function apiDomain(
  read: Read,
  nameKey: string,
  certificateKey: string,
  region: string | undefined,
): ApiDomainSettings {
  const ofDeployment = region === undefined ? undefined : deploymentRegion(region);
  return {
    name: hostName(read, nameKey),
    certificateArn: certificateArn(read, certificateKey, ofDeployment),
    trustStore: trustStore(read),
    hostedZoneId: hostedZoneId(read),
  };
}

const deploymentRegion = (name: string): NeededRegion => ({
  name,
  remedy:
    'take one of the region that the API is deployed to, or set AWS_REGION to deploy elsewhere',
});

/** The API has a name of its own, and the clients' name is CloudFront's. */
function behindFirewall(read: Read, mode: FirewallMode, region: string | undefined): EdgeSettings {
  const origin = apiDomain(read, 'originDomainName', 'originCertificateArn', region);
  const firewall: FirewallSettings = {
    mode,
    domainName: hostName(read, 'domainName'),
    certificateArn: certificateArn(read, 'certificateArn', OF_CLOUDFRONT),
    originDomainName: origin.name,
    clientCertificateArn: certificateArn(read, 'originClientCertificateArn', OF_CLOUDFRONT),
    hostedZoneId: origin.hostedZoneId,
  };
  if (origin.name === firewall.domainName) {
    throw new Error(
      'The context key originDomainName must differ from domainName, which is the name of CloudFront.',
    );
  }
  if (origin.trustStore === undefined) {
    throw new Error(
      'The context key trustStore is missing, and without it the API can be called around the ' +
        'firewall: set it to the authority that issued originClientCertificateArn.',
    );
  }
  return { apiDomain: origin, firewall };
}
