// The types of the validators in the module `#validators`, which `npm run build` compiles (infra/bundle/validators.ts).

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Contracts = typeof import('./operations.ts').operations;
  type Contract = Contracts[keyof Contracts];

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
  /**
   * Validators of the data that operations read from the table. If you add a validator, also add its schema to
   * `validatedSchemas` in `infra/bundle/validators.ts`.
   */
  interface StoredValidators {
    isApplication: ValidateFunction<import('../domain/application.ts').Application>;
    isJob: ValidateFunction<import('../domain/job.ts').Job>;
  }
  const validators: StoredValidators & PathValidators & BodyValidators;
  export = validators;
}
