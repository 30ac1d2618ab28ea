import { Aws, Duration, Stack, Tags, Validations } from 'aws-cdk-lib';
import { OAuthScope, ResourceServerScope, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Operation } from '../../functions/contract/operation.ts';
import type { Settings } from '../settings/context-keys.ts';
import { dataRemovalPolicyOf, removalPolicyOf, type Stage } from '../settings/stages.ts';

const RESOURCE_SERVER = 'recruitment';

/** The token issuer of a deployment: its own user pool, or one that it names. */
export interface IssuerSettings extends Pick<Settings, 'jwksUri' | 'scopePrefix'> {
  issuer: string;
  /** Accepted audiences, separated by commas. */
  audience: string;
}

interface TokenIssuerProps {
  stage: Stage;
  /** What the tokens are for. */
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
    // Tags of the stack may not reach a user pool (aws/aws-cdk, issues 3882 and 14127), and the deploy role needs them.
    for (const [name, value] of Object.entries(Stack.of(this).tags.tagValues())) {
      Tags.of(pool).add(name, value);
    }
    const domain = pool.addDomain('Domain', {
      // Unique in the region, across all accounts.
      cognitoDomain: { domainPrefix: `recruitment-${this.node.addr.slice(-8)}-${Aws.ACCOUNT_ID}` },
    });
    const scopes = scopesOf(operations);
    const server = pool.addResourceServer('ResourceServer', {
      identifier: RESOURCE_SERVER,
      scopes,
    });
    const client = pool.addClient('MachineClient', {
      generateSecret: true,
      // Without a list, Cognito allows sign-in by SRP and by custom challenges. This leaves the renewal of
      // tokens that no sign-in has issued; Cognito does not document what an empty list means.
      authFlows: { userSrp: false },
      accessTokenValidity: Duration.hours(1),
      oAuth: {
        flows: { clientCredentials: true },
        scopes: scopes.map((scope) => OAuthScope.resourceServer(server, scope)),
      },
    });
    // A pool that outlives the stack is of no use without these.
    for (const each of [domain, server, client]) each.applyRemovalPolicy(removalPolicyOf(stage));
    // The region is a token even if it is pinned, because functions get this (`regionAsToken`).
    const issuer = `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${pool.userPoolId}`;
    this.settings = {
      issuer,
      // Cognito's access tokens have no `aud`, but a `client_id`.
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

/** The scopes of the operations; Cognito takes each name once. */
function scopesOf(operations: TokenIssuerProps['operations']): ResourceServerScope[] {
  const byScope = Map.groupBy(operations, ({ scope }) => scope);
  return [...byScope].map(([scopeName, those]) => {
    const scopeDescription = those.map(({ summary }) => summary).join('; ');
    return new ResourceServerScope({ scopeName, scopeDescription });
  });
}
