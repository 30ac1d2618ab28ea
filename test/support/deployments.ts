import { stages } from '../../infra/stack/settings/read-settings.ts';
import { type StageName, stageNames } from '../../infra/stack/settings/settings.ts';
import { externalIssuer } from './stack.ts';

export const monitoredStages: readonly StageName[] = stageNames.filter(
  (name) => stages[name].alarms !== undefined,
);

export const ownDomain = {
  region: 'eu-west-1',
  domainName: 'api.example.com',
  certificateArn:
    'arn:aws:acm:eu-west-1:111122223333:certificate/11111111-1234-1234-1234-123456789012',
};

/** While files move from one bucket to another, a stage names both, each with its KMS key. */
export const movedFiles = {
  filesBucket: 'example-files,new-files',
  filesKey: 'arn:aws:kms:eu-west-1:111122223333:key/1,arn:aws:kms:eu-west-1:111122223333:key/2',
};

export const restoredTable = (stage: string) => ({
  region: 'eu-west-1',
  restoredTableStream: `arn:aws:dynamodb:eu-west-1:111122223333:table/restored-${stage}/stream/2026-11-03T09:26:53.589`,
});

const variants: Readonly<Record<string, Record<string, string>>> = {
  'its own user pool': {},
  'an external issuer': {
    ...externalIssuer,
    jwksUri: 'https://login.example.com/keys',
    scopePrefix: 'recruitment/',
    scopeClaims: 'scp,roles',
    tenantClaim: 'org_id',
    transitionPolicy: 'lifecycle',
  },
  'browsers, a FIPS endpoint and files': {
    corsOrigins: 'https://app.example.com',
    databaseEndpoint: 'https://dynamodb-fips.us-east-1.amazonaws.com',
    filesBucket: 'example-files',
  },
  'a domain name of another zone, alarms by e-mail and no rollout': {
    ...ownDomain,
    alarmEmail: 'ops@example.com',
    rollOut: 'direct',
  },
  'a domain name, client certificates and encrypted files': {
    ...ownDomain,
    hostedZoneId: 'Z0123456789ABCDEFGHIJ',
    trustStore: 's3://example-trust/clients.pem',
    trustStoreVersion: 'Mq3n',
    ...movedFiles,
  },
};

/** Together, these use all settings. */
export const deployments: readonly [name: string, context: Record<string, string>][] =
  stageNames.flatMap((stage) =>
    Object.entries<Record<string, string>>({
      ...variants,
      'a restored table': restoredTable(stage),
    }).map(([name, { alarmEmail, ...context }]): [string, Record<string, string>] => [
      `${stage} with ${name}`,
      { stage, ...context, ...(alarmEmail && monitoredStages.includes(stage) && { alarmEmail }) },
    ]),
  );
