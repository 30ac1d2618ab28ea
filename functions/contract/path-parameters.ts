import { Identifier } from '../domain/identifier.ts';

/**
 * Returns the schema of an id in a path.
 * @param what the noun before "identifier" in the schema's description.
 * @param logField the field of the log line that has the id.
 */
const identifier = <const Field extends string>(what: string, example: string, logField: Field) =>
  ({
    ...Identifier,
    description: `${what} identifier. ${Identifier.description}`,
    examples: [example],
    logField,
  }) as const;

/** The ids that a path may have. An operation chooses the name of each id in its path. */
export const pathParameters = {
  job: identifier('Job', '4007', 'job_id'),
  candidate: identifier('Candidate', 'c-1001', 'candidate_id'),
} as const;

export type PathParameter = (typeof pathParameters)[keyof typeof pathParameters];

/** The ids of a request's path, by the names of their fields in the log line. */
export type LoggedIds = Partial<Record<PathParameter['logField'], string | undefined>>;
