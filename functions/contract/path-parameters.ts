import { Identifier } from '../domain/identifier.ts';

/**
 * Returns the schema of an identifier in a path.
 * @param what the word before "identifier" in the schema's description.
 */
const identifier = (what: string, example: string) =>
  ({
    ...Identifier,
    description: `${what} identifier. ${Identifier.description}`,
    examples: [example],
  }) as const;

/**
 * The schemas of the identifiers that a path may contain. Each key is the name of an identifier, and is also the field
 * of the log line that has this identifier.
 */
export const pathIdentifiers = {
  job_id: identifier('Job', '4007'),
  candidate_id: identifier('Candidate', 'c-1001'),
} as const;

type PathIdentifier = keyof typeof pathIdentifiers;

/**
 * The path parameters of an operation. Each key is the name of a parameter in `path`, such as `id`. Each value is the
 * identifier that the parameter has.
 */
export type PathParameters = Readonly<Record<string, PathIdentifier>>;

/** The identifiers from a request's path that a log line has. */
export type LoggedIds = Partial<Record<PathIdentifier, string | undefined>>;

/** Returns the schemas of path parameters, by the names of the parameters. */
export const pathParameterSchemas = (parameters: PathParameters) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, identifier]) => [name, pathIdentifiers[identifier]]),
  );
