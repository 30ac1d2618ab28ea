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

type ValidatorOf<N extends keyof import('./validated-schemas.ts').Valid> = Validator<
  import('./validated-schemas.ts').Valid[N]
>;

declare module '#validators/application' {
  const validate: ValidatorOf<'application'>;
  export default validate;
}

declare module '#validators/job' {
  const validate: ValidatorOf<'job'>;
  export default validate;
}

declare module '#validators/get-application-path' {
  const validate: ValidatorOf<'get-application-path'>;
  export default validate;
}

declare module '#validators/update-job-status-path' {
  const validate: ValidatorOf<'update-job-status-path'>;
  export default validate;
}

declare module '#validators/update-job-status-body' {
  const validate: ValidatorOf<'update-job-status-body'>;
  export default validate;
}
