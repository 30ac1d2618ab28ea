import { describe, expect, it } from 'vitest';
import { readEnvironment, type Variables } from '../../../functions/platform/environment.ts';

const least = {
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-west-1.amazonaws.com',
  TABLE_NAME: 'recruitment',
  // http is allowed for a local issuer.
  ISSUER: 'http://127.0.0.1:8080',
  AUDIENCE: 'recruitment-api',
};
const read = (variables: Variables) => readEnvironment({ ...least, ...variables });

describe('the environment', () => {
  it('has defaults for optional variables', () => {
    expect(read({})).toEqual({
      region: 'eu-west-1',
      endpoint: 'https://dynamodb.eu-west-1.amazonaws.com',
      tableName: 'recruitment',
      issuer: 'http://127.0.0.1:8080',
      audiences: ['recruitment-api'],
      jwksUri: undefined,
      scopeClaims: ['scope', 'scp'],
      scopePrefix: '',
      tenantClaim: undefined,
      transitionPolicy: 'any',
      files: undefined,
      timeoutMs: 6000,
      functionVersion: '$LATEST',
      isLocal: false,
    });
  });

  it('has the value of every variable', () => {
    const chosen = {
      AUDIENCE: 'a, b ,,c',
      JWKS_URI: 'https://keys.example.com/jwks',
      SCOPE_CLAIMS: 'https://example.com/roles, scp',
      SCOPE_PREFIX: 'recruitment/',
      TENANT_CLAIM: 'https://example.com/tenant',
      TRANSITION_POLICY: 'lifecycle',
      FILES_BUCKET: 'example-files',
      FILES_URL: 'https://*.s3.eu-west-1.amazonaws.com',
      TIMEOUT_S: '0.8',
      AWS_LAMBDA_FUNCTION_VERSION: '7',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    };
    expect(read(chosen)).toMatchObject({
      audiences: ['a', 'b', 'c'],
      jwksUri: 'https://keys.example.com/jwks',
      scopeClaims: ['https://example.com/roles', 'scp'],
      scopePrefix: 'recruitment/',
      tenantClaim: 'https://example.com/tenant',
      transitionPolicy: 'lifecycle',
      files: { buckets: [chosen.FILES_BUCKET], url: chosen.FILES_URL },
      timeoutMs: 800,
      functionVersion: '7',
      isLocal: false,
    });
    expect(read({ AWS_EXECUTION_ENV: 'local' }).isLocal).toBe(true);
  });

  it.each([
    ...['JWKS_URI', 'TENANT_CLAIM', 'TRANSITION_POLICY'],
    ...['SCOPE_CLAIMS', 'SCOPE_PREFIX', 'FILES_BUCKET'],
  ])('treats an empty %s as none', (name) => {
    expect(read({ [name]: '' })).toEqual(read({}));
  });

  it.each<[string, string, string | undefined]>([
    ['TABLE_NAME', 'missing', undefined],
    ['TABLE_NAME', 'missing', ''],
    ['ISSUER', 'missing', undefined],
    ['FILES_URL', 'missing', undefined],
    ['FILES_BUCKET', 'missing', undefined],
    ['AUDIENCE', 'invalid', ' , '],
    ['SCOPE_CLAIMS', 'invalid', ','],
    ['ISSUER', 'invalid', 'issuer.example.com'],
    ['ISSUER', 'invalid', 'file:///etc/passwd'],
    ['JWKS_URI', 'invalid', '/jwks'],
    ['FILES_URL', 'invalid', 'files'],
    ['TIMEOUT_S', 'invalid', 'six'],
    ['TIMEOUT_S', 'invalid', '0'],
    ['TRANSITION_POLICY', 'invalid', 'toString'],
    ...['a b', 'a"b', 'a\\b', 'a\nb', 'é'].map(
      (text) => ['SCOPE_PREFIX', 'invalid', text] as [string, string, string],
    ),
  ])(
    'is rejected with an error that says how to set %s if the variable is %s: %j',
    (name, fault, value) => {
      const message = new RegExp(`${name} is ${fault}: set it to \\w+`);
      const files = { FILES_BUCKET: 'example-files', FILES_URL: 'https://*.s3.example.com' };
      expect(() => read({ ...files, [name]: value })).toThrow(message);
    },
  );
});
