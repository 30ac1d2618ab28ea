import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { edgeKeys } from '../../../infra/settings/edge-settings.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { behindFirewall, customDomain } from '../../support/edge.ts';

const read = (context: Record<string, unknown>) =>
  readSettings(new App({ context, outdir: 'dist/test-cdk.out' }).node);

const without = (context: Record<string, string>, key: string) =>
  Object.fromEntries(Object.entries(context).filter(([name]) => name !== key));

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the settings of the edge', () => {
  it('are none by default', () => {
    const { apiDomain, firewall } = read({});
    expect([apiDomain, firewall]).toEqual([undefined, undefined]);
  });

  it('name the API', () => {
    const { apiDomain, firewall } = read({
      ...customDomain,
      hostedZoneId: 'Z0123456789ABCDEFGHIJ',
      trustStore: 's3://example-trust/a/b.pem',
      trustStoreVersion: 'v1',
    });
    expect(apiDomain).toEqual({
      name: 'api.example.com',
      certificateArn: customDomain.certificateArn,
      hostedZoneId: 'Z0123456789ABCDEFGHIJ',
      trustStore: { bucket: 'example-trust', key: 'a/b.pem', version: 'v1' },
    });
    expect(firewall).toBeUndefined();
  });

  it("give the clients' name to CloudFront where there is a firewall, and the API another", () => {
    const { apiDomain, firewall } = read(behindFirewall);
    expect(apiDomain).toMatchObject({
      name: 'origin.example.com',
      certificateArn: behindFirewall.originCertificateArn,
      trustStore: { bucket: 'example-trust', key: 'authority.pem' },
    });
    expect(firewall).toMatchObject({
      mode: 'block',
      domainName: 'api.example.com',
      certificateArn: behindFirewall.certificateArn,
      originDomainName: 'origin.example.com',
      clientCertificateArn: behindFirewall.originClientCertificateArn,
    });
  });

  it('take the API in any region where that of the deployment is not known', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', undefined);
    expect(read(customDomain).apiDomain).toBeDefined();
    expect(read(behindFirewall).apiDomain).toBeDefined();
  });

  it('need the certificate of the API in the region of the deployment', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
    expect(read(customDomain).apiDomain).toBeDefined();
    expect(read(behindFirewall).apiDomain).toBeDefined();
    vi.stubEnv('CDK_DEFAULT_REGION', 'sa-east-1');
    expect(() => read(customDomain)).toThrow(
      /certificateArn names a certificate in eu-west-1, and sa-east-1 is needed.*AWS_REGION/,
    );
    expect(() => read(behindFirewall)).toThrow('originCertificateArn names a certificate in eu');
  });

  it.each(['certificateArn', 'originClientCertificateArn'] as const)(
    'need the certificates of CloudFront in us-east-1: %s',
    (key) => {
      const elsewhere = { [key]: behindFirewall[key].replace('us-east-1', 'eu-west-1') };
      expect(() => read({ ...behindFirewall, ...elsewhere })).toThrow(
        `${key} names a certificate in eu-west-1, and us-east-1 is needed`,
      );
    },
  );

  it('are listed where a key is unknown', () => {
    for (const key of edgeKeys) expect(() => read({ domain: 'x' })).toThrow(` ${key}`);
  });

  it('are in the table of the README', () => {
    const readme = readFileSync('README.md', 'utf8');
    for (const key of edgeKeys) expect(readme).toContain(`\n| \`${key}\` | `);
  });

  it.each(edgeKeys.filter((key) => key !== 'domainName'))('refuse %s without a domain', (key) => {
    expect(() => read({ [key]: 'x' })).toThrow(
      `${key} belongs to a custom domain: set domainName too`,
    );
  });

  it.each(['originDomainName', 'originCertificateArn', 'originClientCertificateArn'] as const)(
    'have %s with the firewall, always and then alone',
    (key) => {
      expect(() => read({ ...customDomain, [key]: behindFirewall[key] })).toThrow(
        `${key} belongs to a firewall: set firewall too`,
      );
      expect(() => read(without(behindFirewall, key))).toThrow(`${key} is missing`);
    },
  );

  it('refuse a firewall that could be gone around', () => {
    expect(() => read(without(behindFirewall, 'trustStore'))).toThrow(
      /trustStore is missing, and without it the API can be called around the firewall/,
    );
  });

  it('refuse one name for both CloudFront and the API', () => {
    const same = { ...behindFirewall, originDomainName: behindFirewall.domainName };
    expect(() => read(same)).toThrow('originDomainName must differ from domainName');
  });

  it.each([
    [{ domainName: 'https://api.example.com' }, 'domainName must be a host name'],
    [{ domainName: '*.example.com' }, 'domainName must be a host name'],
    [{ domainName: 'API.example.com' }, 'domainName must be a host name'],
    [{ domainName: 'localhost' }, 'domainName must be a host name'],
    [{ domainName: 'api.example.com.' }, 'domainName must be a host name'],
    [{ domainName: '10.0.0.1' }, 'domainName must be a host name'],
    [{ domainName: `${'a.'.repeat(126)}com` }, 'domainName must be a host name'],
    [{ certificateArn: '' }, 'certificateArn is missing'],
    [{ certificateArn: 'arn:aws:iam::111122223333:role/x' }, 'certificateArn must be the ARN'],
    [{ certificateArn: `${customDomain.certificateArn}x` }, 'certificateArn must be the ARN'],
    [{ hostedZoneId: '/hostedzone/Z1' }, 'hostedZoneId must be the id of a hosted zone'],
    [{ hostedZoneId: 'example.com' }, 'hostedZoneId must be the id of a hosted zone'],
    [{ trustStore: 'authority.pem' }, 'trustStore must be the address of a PEM file in S3'],
    [{ trustStore: 's3://bucket' }, 'trustStore must be the address of a PEM file in S3'],
    [{ trustStore: 's3://Bucket/a.pem' }, 'trustStore must be the address of a PEM file in S3'],
    [{ trustStoreVersion: 'v1' }, 'trustStoreVersion belongs to a trust store'],
    [{ firewall: 'true' }, 'firewall must be count or block'],
  ])('refuse %j', (wrong, message) => {
    expect(() => read({ ...customDomain, ...wrong })).toThrow(message);
  });
});
