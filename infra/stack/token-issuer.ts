import { Aws, Duration, Stack, Tags, Validations } from 'aws-cdk-lib';
import { OAuthScope, ResourceServerScope, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Operation } from '../../functions/contract/operation.ts';
import type { Settings } from './settings.ts';
import { dataRemovalPolicyOf, removalPolicyOf, type Stage } from './stages/stage.ts';

const RESOURCE_SERVER = 'recruitment';

/** The settings of a deployment's token issuer, which is either the stack's user pool or an external issuer. */
export interface IssuerSettings extends Pick<Settings, 'jwksUri' | 'scopePrefix' | 'scopeClaims'> {
  issuer: string;
  /** The accepted audiences, separated by commas. */
  audience: string;
}

interface TokenIssuerProps {
  stage: Stage;
  /** The operations that tokens give access to. */
  operations: readonly Pick<Operation, 'scope' | 'summary'>[];
}

/** An Amazon Cognito user pool that issues access tokens to one machine client. */
export class TokenIssuer extends Construct {
  readonly settings: IssuerSettings;
  readonly tokenEndpoint: string;
  readonly userPoolId: string;
  readonly clientId: string;

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
    // Add the stack's tags here, because they do not always reach a user pool (aws/aws-cdk, issues 3882 and 14127). The
    // deploy role's permissions depend on these tags.
    for (const [name, value] of Object.entries(Stack.of(this).tags.tagValues())) {
      Tags.of(pool).add(name, value);
    }
    const domain = pool.addDomain('Domain', {
      // A domain prefix must be unique in the region across all accounts.
      cognitoDomain: { domainPrefix: `recruitment-${this.node.addr.slice(-8)}-${Aws.ACCOUNT_ID}` },
    });
    const scopes = scopesOf(operations);
    const server = pool.addResourceServer('ResourceServer', {
      identifier: RESOURCE_SERVER,
      scopes,
    });
    const client = pool.addClient('MachineClient', {
      generateSecret: true,
      // Without a list of flows, Cognito allows sign-in by SRP and by custom challenges. For this value, the CDK sets a
      // list with token renewal only, which is harmless because nobody can sign in. AWS does not document the effect of
      // an empty list.
      authFlows: { userSrp: false },
      accessTokenValidity: Duration.hours(1),
      oAuth: {
        flows: { clientCredentials: true },
        scopes: scopes.map((scope) => OAuthScope.resourceServer(server, scope)),
      },
    });
    // Keep these resources with the user pool if it outlives the stack, because the pool is useless without them.
    for (const each of [domain, server, client]) each.applyRemovalPolicy(removalPolicyOf(stage));
    // Keep the region as a CDK token even if the settings name a region, because the functions' environment variables
    // contain this URL (`regionAsToken` in `function.ts` says why).
    const issuer = `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${pool.userPoolId}`;
    this.settings = {
      issuer,
      // Cognito's access tokens have a `client_id` instead of an `aud`.
      audience: client.userPoolClientId,
      jwksUri: `${issuer}/.well-known/jwks.json`,
      scopePrefix: `${RESOURCE_SERVER}/`,
    };
    this.tokenEndpoint = `${domain.baseUrl()}/oauth2/token`;
    this.userPoolId = pool.userPoolId;
    this.clientId = client.userPoolClientId;
    const noUsers = 'The pool has one machine client and no users.';
    Validations.of(pool).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-COG2', reason: noUsers },
      { id: 'AwsSolutions::AwsSolutions-COG8', reason: noUsers },
    );
  }
}

/**
 * Returns the scopes of the operations. Operations with the same scope share one entry, because Cognito requires
 * unique names.
 */
function scopesOf(operations: TokenIssuerProps['operations']): ResourceServerScope[] {
  const byScope = Map.groupBy(operations, ({ scope }) => scope);
  return [...byScope].map(([scopeName, sharing]) => {
    const scopeDescription = sharing.map(({ summary }) => summary).join('; ');
    return new ResourceServerScope({ scopeName, scopeDescription });
  });
}
