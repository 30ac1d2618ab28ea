import { afterEach, describe, expect, it, vi } from 'vitest';
import { operationNames } from '../../../functions/contract/operations.ts';
import { readEnvironment } from '../../../functions/runtime/env.ts';
import { start } from '../../../functions/start/start.ts';

const least = {
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-west-1.amazonaws.com',
  TABLE_NAME: 'recruitment',
  ISSUER: 'https://issuer.example.com/',
  AUDIENCE: 'recruitment-api',
};

describe('the environment', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('has defaults for what a deployment need not choose', () => {
    expect(readEnvironment(least)).toEqual({
      region: 'eu-west-1',
      endpoint: 'https://dynamodb.eu-west-1.amazonaws.com',
      tableName: 'recruitment',
      issuer: 'https://issuer.example.com/',
      audiences: ['recruitment-api'],
      jwksUri: undefined,
      scopePrefix: '',
      tenantClaim: undefined,
      transitionPolicy: 'any',
      files: undefined,
      timeoutMs: 6000,
      functionVersion: '$LATEST',
      isLocal: false,
    });
  });

  it('is local under npm start, and never where Lambda sets AWS_EXECUTION_ENV', () => {
    const isLocal = (AWS_EXECUTION_ENV: string) =>
      readEnvironment({ ...least, AWS_EXECUTION_ENV }).isLocal;
    expect(isLocal('local')).toBe(true);
    expect(isLocal('AWS_Lambda_nodejs24.x')).toBe(false);
  });

  it('takes everything that a deployment chooses', () => {
    const chosen = {
      JWKS_URI: 'https://keys.example.com/jwks',
      SCOPE_PREFIX: 'recruitment/',
      TENANT_CLAIM: 'https://example.com/tenant',
      TRANSITION_POLICY: 'lifecycle',
      FILES_BUCKET: 'example-files',
      FILES_URL: 'https://example-files.s3.eu-west-1.amazonaws.com',
      TIMEOUT_S: '0.8',
      AWS_LAMBDA_FUNCTION_VERSION: '7',
    };
    expect(readEnvironment({ ...least, ...chosen })).toMatchObject({
      jwksUri: 'https://keys.example.com/jwks',
      scopePrefix: 'recruitment/',
      tenantClaim: 'https://example.com/tenant',
      transitionPolicy: 'lifecycle',
      files: { bucket: chosen.FILES_BUCKET, url: chosen.FILES_URL },
      timeoutMs: 800,
      functionVersion: '7',
    });
  });

  it('is that of the process unless another is given', () => {
    for (const [name, value] of Object.entries(least)) vi.stubEnv(name, value);
    vi.stubEnv('AUDIENCE', '');
    expect(() => readEnvironment()).toThrow('AUDIENCE');
    vi.stubEnv('AUDIENCE', 'a');
    expect(readEnvironment().tableName).toBe('recruitment');
  });

  it.each(['JWKS_URI', 'TENANT_CLAIM', 'TRANSITION_POLICY', 'SCOPE_PREFIX', 'FILES_BUCKET'])(
    'treats an empty %s as none',
    (name) => {
      expect(readEnvironment({ ...least, [name]: '' })).toEqual(readEnvironment(least));
    },
  );

  it('is rejected with a bucket of files that has no address', () => {
    const named = { ...least, FILES_BUCKET: 'example-files' };
    expect(() => readEnvironment(named)).toThrow('FILES_URL is missing');
    expect(() => readEnvironment({ ...named, FILES_URL: 'files' })).toThrow('FILES_URL is wrong');
  });

  it('takes several audiences, separated by commas', () => {
    expect(readEnvironment({ ...least, AUDIENCE: 'a, b ,,c' }).audiences).toEqual(['a', 'b', 'c']);
  });

  it.each(['a b', 'a"b', 'a\\b', 'a\nb', 'é'])('rejects %j in a scope', (prefix) => {
    expect(() => readEnvironment({ ...least, SCOPE_PREFIX: prefix })).toThrow('SCOPE_PREFIX');
  });

  it.each(['TABLE_NAME', 'ISSUER', 'AUDIENCE'])(
    'is rejected without %s, which it names and explains',
    (name) => {
      const message = new RegExp(`${name} is missing: set it to the \\w+`);
      expect(() => readEnvironment({ ...least, [name]: undefined })).toThrow(message);
      expect(() => readEnvironment({ ...least, [name]: '' })).toThrow(name);
    },
  );

  it.each(operationNames)(
    'that lacks the table keeps %s from starting, with an error that names it',
    async (name) => {
      const operation = await import(`../../../functions/operations/${name}.ts`);
      const variables = { ...least, TABLE_NAME: '' };
      await expect(start(operation, { variables })).rejects.toThrow('TABLE_NAME');
    },
  );

  it.each([
    ['AUDIENCE', ' , '],
    ['ISSUER', 'issuer.example.com'],
    ['ISSUER', 'file:///etc/passwd'],
    ['JWKS_URI', '/jwks'],
    ['TIMEOUT_S', 'six'],
    ['TIMEOUT_S', '0'],
    ['TRANSITION_POLICY', 'strict'],
    ['TRANSITION_POLICY', 'toString'],
  ])('is rejected if %s is %j', (name, value) => {
    expect(() => readEnvironment({ ...least, [name]: value })).toThrow(name);
  });

  it('may have an issuer without TLS, for a local one', () => {
    const issuer = 'http://127.0.0.1:8080';
    expect(readEnvironment({ ...least, ISSUER: issuer }).issuer).toBe(issuer);
  });
});
