// `npm run build` compiles `#validators` (infra/stack/bundle/validators.ts).

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Contracts = typeof import('./operations.ts').operations;
  type Contract = Contracts[keyof Contracts];
  type StoredSchemas = typeof import('../contract/stored-schemas.ts').storedSchemas;

  type PathValidators = {
    [C in Contract as `is${Capitalize<C['operationId']>}Path`]: ValidateFunction<{
      pathParameters: Record<keyof C['parameters'], string>;
    }>;
  };
  type BodyValidators = {
    [C in Extract<
      Contract,
      { body: object }
    > as `is${Capitalize<C['operationId']>}Body`]: ValidateFunction<{
      body: FromSchema<C['body']['schema']>;
    }>;
  };
  type StoredValidators = {
    [N in keyof StoredSchemas]: ValidateFunction<FromSchema<StoredSchemas[N]>>;
  };
  const validators: StoredValidators & PathValidators & BodyValidators;
  export = validators;
}
