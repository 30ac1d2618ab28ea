// The types of the validators that `npm run build` compiles (infra/bundle/validators.ts).

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Contracts = typeof import('./operations.ts').operations;
  type Contract = Contracts[keyof Contracts];

  /** A validator of the path parameters for each operation, such as `isUpdateJobStatusPath` for `updateJobStatus`. */
  type PathValidators = {
    [C in Contract as `is${Capitalize<C['operationId']>}Path`]: ValidateFunction<{
      pathParameters: FromSchema<C['parameters']>;
    }>;
  };
  /** A validator of the parsed body for each operation that has a body, such as `isUpdateJobStatusBody`. */
  type BodyValidators = {
    [C in Extract<
      Contract,
      { body: object }
    > as `is${Capitalize<C['operationId']>}Body`]: ValidateFunction<{
      body: FromSchema<C['body']['schema']>;
    }>;
  };
  /** Validators of what the table stores. */
  interface StoredValidators {
    isApplication: ValidateFunction<import('../domain/application.ts').Application>;
    isJob: ValidateFunction<import('../domain/job.ts').Job>;
  }
  const validators: StoredValidators & PathValidators & BodyValidators;
  export = validators;
}
