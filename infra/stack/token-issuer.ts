import { Aws, Duration, RemovalPolicy, Stack, Tags, Validations } from 'aws-cdk-lib';
import { OAuthScope, ResourceServerScope, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Operation } from '../../functions/contract/operation.ts';
import type { Settings } from './settings/settings.ts';
import { dataRemovalPolicyOf, removalPolicyOf, type Stage } from './stages/stage.ts';

const RESOURCE_SERVER = 'recruitment';
/** No operation requires this scope, but Cognito does not issue tokens to a client without a scope. */
const PROBE_SCOPE = new ResourceServerScope({
  scopeName: 'probe',
  scopeDescription: 'Opens nothing',
});

export interface IssuerSettings extends Pick<Settings, 'jwksUri' | 'scopePrefix' | 'scopeClaims'> {
  issuer: string;
  /** Separated by commas. */
  audience: string;
}

interface TokenIssuerProps {
  stage: Stage;
  operations: readonly Pick<Operation, 'scope' | 'summary'>[];
}

export class TokenIssuer extends Construct {
  readonly settings: IssuerSettings;
  readonly tokenEndpoint: string;
  readonly userPoolId: string;
  readonly clientId: string;
  readonly probeClientId: string | undefined;

  constructor(scope: Construct, id: string, { stage, operations }: TokenIssuerProps) {
    super(scope, id);
    const pool = new UserPool(this, 'UserPool', {
      selfSignUpEnabled: false,
      passwordPolicy: {
        minLength: 16,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
      },
      deletionProtection: stage.keepsData,
      removalPolicy: dataRemovalPolicyOf(stage),
    });
    // The stack's tags do not always reach a user pool (aws/aws-cdk, issues 3882 and 14127), and the deploy role's
    // permissions depend on them.
    for (const [name, value] of Object.entries(Stack.of(this).tags.tagValues())) {
      Tags.of(pool).add(name, value);
    }
    const domain = pool.addDomain('Domain', {
      // Must be unique in the region across all accounts.
      cognitoDomain: { domainPrefix: `recruitment-${this.node.addr.slice(-8)}-${Aws.ACCOUNT_ID}` },
    });
    const scopes = resourceServerScopes(operations);
    const server = pool.addResourceServer('ResourceServer', {
      identifier: RESOURCE_SERVER,
      scopes: stage.hasProbe ? [...scopes, PROBE_SCOPE] : scopes,
    });
    const addClient = (name: string, granted: readonly ResourceServerScope[]) =>
      pool.addClient(name, {
        generateSecret: true,
        // Makes the CDK list only token renewal, which is harmless without users. Without a list, Cognito would also
        // allow SRP and custom challenges (API reference, CreateUserPoolClient, ExplicitAuthFlows).
        authFlows: { userSrp: false },
        accessTokenValidity: Duration.hours(1),
        oAuth: {
          flows: { clientCredentials: true },
          scopes: granted.map((scope) => OAuthScope.resourceServer(server, scope)),
        },
      });
    const client = addClient('MachineClient', scopes);
    const probe = stage.hasProbe ? [addClient('ProbeClient', [PROBE_SCOPE])] : [];
    // It holds no data, so it may go with the stack, and then no longer costs anything.
    for (const each of probe) each.applyRemovalPolicy(RemovalPolicy.DESTROY);
    const clients = [client, ...probe];
    // A user pool that outlives the stack is useless without its domain, resource server and client.
    for (const each of [domain, server, client]) each.applyRemovalPolicy(removalPolicyOf(stage));
    // `Aws.REGION`, not the setting `region`: see `regionAsToken` in function.ts.
    const issuer = `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${pool.userPoolId}`;
    this.settings = {
      issuer,
      // Cognito's access tokens have no `aud`; their `client_id` is compared instead.
      audience: clients.map(({ userPoolClientId: id }) => id).join(','),
      jwksUri: `${issuer}/.well-known/jwks.json`,
      scopePrefix: `${RESOURCE_SERVER}/`,
    };
    this.tokenEndpoint = `${domain.baseUrl()}/oauth2/token`;
    this.userPoolId = pool.userPoolId;
    this.clientId = client.userPoolClientId;
    this.probeClientId = probe[0]?.userPoolClientId;
    const noUsers = 'The pool has machine clients and no users.';
    Validations.of(pool).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-COG2', reason: noUsers },
      { id: 'AwsSolutions::AwsSolutions-COG8', reason: noUsers },
    );
  }
}

/** Cognito requires unique scope names, so operations with the same scope share an entry. */
function resourceServerScopes(operations: TokenIssuerProps['operations']): ResourceServerScope[] {
  const byScope = Map.groupBy(operations, ({ scope }) => scope);
  return [...byScope].map(([scopeName, sharing]) => {
    const scopeDescription = sharing.map(({ summary }) => summary).join('; ');
    return new ResourceServerScope({ scopeName, scopeDescription });
  });
}
