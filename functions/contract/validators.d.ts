// The validators that `npm run build` compiles from the schemas in validated-schemas.ts.

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';
  import type { FromSchema } from 'json-schema-to-ts';

  type Schemas = typeof import('./validated-schemas.ts').validatedSchemas;
  const validators: { [Name in keyof Schemas]: ValidateFunction<FromSchema<Schemas[Name]>> };
  export = validators;
}
