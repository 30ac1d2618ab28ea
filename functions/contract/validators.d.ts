// The types of the validators that `npm run build` compiles from the schemas in compiled.ts.

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

declare module '#validators/application' {
  const validate: Validator<import('../domain/application.ts').Application>;
  export default validate;
}

declare module '#validators/job' {
  const validate: Validator<import('../domain/job.ts').Job>;
  export default validate;
}

declare module '#validators/application-path' {
  const validate: Validator<{
    pathParameters: import('./get-application.ts').ApplicationPath;
  }>;
  export default validate;
}

declare module '#validators/job-path' {
  const validate: Validator<{ pathParameters: import('./update-job-status.ts').JobPath }>;
  export default validate;
}

declare module '#validators/job-status-update' {
  const validate: Validator<{ body: import('./update-job-status.ts').JobStatusUpdate }>;
  export default validate;
}
