import { Identifier } from '../domain/identifier.ts';

/**
 * Returns the schema of a path parameter that is an identifier.
 * @param what the word before "identifier" in the schema's description.
 * @param logField the name of the log line's field that has the identifier.
 */
const identifier = <const Field extends string>(what: string, example: string, logField: Field) =>
  ({
    ...Identifier,
    description: `${what} identifier. ${Identifier.description}`,
    examples: [example],
    logField,
  }) as const;

/**
 * The path parameters that operations may use. Each operation chooses the parameter's name in its path, such as `id`
 * for the job.
 */
export const pathParameters = {
  job: identifier('Job', '4007', 'job_id'),
  candidate: identifier('Candidate', 'c-1001', 'candidate_id'),
} as const;

export type PathParameter = (typeof pathParameters)[keyof typeof pathParameters];

/** The identifiers from a request's path that a log line has. Each key is the `logField` of a path parameter. */
export type LoggedIds = Partial<Record<PathParameter['logField'], string | undefined>>;
