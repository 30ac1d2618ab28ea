// The types of the validators in the module `#validators`, which `npm run build` compiles (infra/bundle/validators.ts).

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Contracts = typeof import('./operations.ts').operations;
  type Contract = Contracts[keyof Contracts];
  type StoredSchemas = typeof import('./stored-schemas.ts').storedSchemas;

  /** For each operation, a validator of the path parameters, such as `isUpdateJobStatusPath` for `updateJobStatus`. */
  type PathValidators = {
    [C in Contract as `is${Capitalize<C['operationId']>}Path`]: ValidateFunction<{
      pathParameters: Record<keyof C['parameters'], string>;
    }>;
  };
  /** For each operation with a request body, a validator of the parsed body, such as `isUpdateJobStatusBody`. */
  type BodyValidators = {
    [C in Extract<
      Contract,
      { body: object }
    > as `is${Capitalize<C['operationId']>}Body`]: ValidateFunction<{
      body: FromSchema<C['body']['schema']>;
    }>;
  };
  /** For each schema of stored data, its validator. */
  type StoredValidators = {
    [N in keyof StoredSchemas]: ValidateFunction<FromSchema<StoredSchemas[N]>>;
  };
  const validators: StoredValidators & PathValidators & BodyValidators;
  export = validators;
}
