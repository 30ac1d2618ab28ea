// The validators that `npm run build` compiles from the schemas in validated-schemas.ts.

declare module '#validators' {
  import type { ValidateFunction } from 'ajv';

  type Valid = import('./validated-schemas.ts').Valid;

  export const isApplication: ValidateFunction<Valid['isApplication']>;
  export const isJob: ValidateFunction<Valid['isJob']>;
  export const isGetApplicationPath: ValidateFunction<Valid['isGetApplicationPath']>;
  export const isUpdateJobStatusPath: ValidateFunction<Valid['isUpdateJobStatusPath']>;
  export const isUpdateJobStatusBody: ValidateFunction<Valid['isUpdateJobStatusBody']>;
}
