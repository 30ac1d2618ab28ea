// The types of the validators that `npm run build` compiles (infra/bundle/validators.ts).

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Contracts = typeof import('./operations.ts').operations;
  type Contract = Contracts[keyof Contracts];

  /** `isUpdateJobStatusPath` for `updateJobStatus`: a validator of the request's path parameters. */
  type PathValidators = {
    [C in Contract as `is${Capitalize<C['operationId']>}Path`]: ValidateFunction<{
      pathParameters: FromSchema<C['parameters']>;
    }>;
  };
  /** `isUpdateJobStatusBody` for `updateJobStatus`: a validator of the parsed body. */
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
