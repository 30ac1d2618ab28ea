import { stageNames } from '../../infra/settings/stages.ts';
import { externalIssuer } from './stack.ts';

/** The context of an API with its own domain name. */
export const ownDomain = {
  domainName: 'api.example.com',
  certificateArn:
    'arn:aws:acm:eu-west-1:111122223333:certificate/11111111-1234-1234-1234-123456789012',
};

/** The stream of a table that was restored for a stage. */
export const restoredStream = (stage: string) =>
  `arn:aws:dynamodb:eu-west-1:111122223333:table/restored-${stage}/stream/2026-11-03T09:26:53.589`;

/** What a deployment may choose beside its stage; every context key is in one of these. */
const variants: Readonly<Record<string, Record<string, string>>> = {
  'its own user pool': {},
  'an external issuer': {
    ...externalIssuer,
    jwksUri: 'https://login.example.com/keys',
    scopePrefix: 'recruitment/',
    tenantClaim: 'org_id',
    transitionPolicy: 'lifecycle',
  },
  'browsers, a FIPS endpoint and files': {
    corsOrigins: 'https://app.example.com',
    databaseEndpoint: 'https://dynamodb-fips.us-east-1.amazonaws.com',
    filesBucket: 'example-files,new-files',
  },
  'a pinned region, alarms by e-mail and no rollout': {
    region: 'eu-west-1',
    alarmEmail: 'ops@example.com',
    rollOut: 'direct',
  },
  'a domain name, client certificates and encrypted files': {
    ...ownDomain,
    hostedZoneId: 'Z0123456789ABCDEFGHIJ',
    trustStore: 's3://example-trust/clients.pem',
    trustStoreVersion: 'Mq3n',
    filesBucket: 'example-files',
    filesKey: 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012',
  },
};

/** Every stage in every variant: its name, and the context that makes it. */
export const deployments: readonly [name: string, context: Record<string, string>][] =
  stageNames.flatMap((stage) =>
    Object.entries({
      ...variants,
      'a restored table': { restoredTableStream: restoredStream(stage) },
    }).map(([name, context]): [string, Record<string, string>] => [
      `${stage} with ${name}`,
      { stage, ...context },
    ]),
  );
