import { stageNames } from '../../infra/settings/stages.ts';
import { behindFirewall, customDomain } from './edge.ts';
import { ownIssuer } from './stack.ts';

/** What a deployment may choose, beside its stage; every context key is in one of these. */
const variants: Readonly<Record<string, Record<string, string>>> = {
  'a user pool of its own': {},
  'another issuer': {
    ...ownIssuer,
    jwksUri: 'https://login.example.com/keys',
    scopePrefix: 'recruitment/',
    tenantClaim: 'org_id',
    transitionPolicy: 'lifecycle',
  },
  'browsers and a VPC endpoint': {
    corsOrigins: 'https://app.example.com',
    databaseEndpoint: 'https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com',
  },
  'a pinned region': { region: 'eu-west-1' },
  'alarms by e-mail and a webhook': {
    alarmEmail: 'ops@example.com',
    webhookUrl: 'https://hooks.example.com/jobs',
  },
  'an alias that turns at once': { rollOut: 'direct' },
  'a name of its own': {
    ...customDomain,
    hostedZoneId: 'Z0123456789ABCDEFGHIJ',
    trustStore: 's3://example-trust/clients.pem',
    trustStoreVersion: 'Mq3n',
  },
  'a firewall': behindFirewall,
  'no concurrency to reserve': { reservedConcurrency: 'none' },
};

/** What was restored for one stage is not another's. */
const restoredTable = (stage: string) => ({
  restoredTableStream: `arn:aws:dynamodb:eu-west-1:111122223333:table/restored-${stage}/stream/2026-11-03T09:26:53.589`,
});

/** Every stage in every variant: its name, and the context that makes it. */
export const deployments: readonly [name: string, context: Record<string, string>][] =
  stageNames.flatMap((stage) =>
    Object.entries({ ...variants, 'a table that was restored': restoredTable(stage) }).map(
      ([name, context]): [string, Record<string, string>] => [
        `${stage} with ${name}`,
        { stage, ...context },
      ],
    ),
  );
