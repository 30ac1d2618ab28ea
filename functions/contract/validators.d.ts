// The validators that `npm run build` compiles from the schemas in validated-schemas.ts.

interface ValidationError {
  /** JSON Pointer to the value that is wrong. */
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}

interface Validator<T> {
  (value: unknown): value is T;
  errors?: ValidationError[] | null;
}

declare module '#validators' {
  type Valid = import('./validated-schemas.ts').Valid;

  export const isApplication: Validator<Valid['isApplication']>;
  export const isJob: Validator<Valid['isJob']>;
  export const isGetApplicationPath: Validator<Valid['isGetApplicationPath']>;
  export const isUpdateJobStatusPath: Validator<Valid['isUpdateJobStatusPath']>;
  export const isUpdateJobStatusBody: Validator<Valid['isUpdateJobStatusBody']>;
}
