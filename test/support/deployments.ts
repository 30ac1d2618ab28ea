import { stageNames } from '../../infra/stages.ts';
import { ownIssuer } from './stack.ts';

/** What a deployment may choose, beside its stage; every context key is in one of these. */
export const variants: Readonly<Record<string, Record<string, string>>> = {
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
  'no concurrency to reserve': { reservedConcurrency: 'none' },
};

/** Every stage in every variant: its name, and the context that makes it. */
export const deployments: readonly [name: string, context: Record<string, string>][] =
  stageNames.flatMap((stage) =>
    Object.entries(variants).map(([name, context]): [string, Record<string, string>] => [
      `${stage} with ${name}`,
      { stage, ...context },
    ]),
  );
