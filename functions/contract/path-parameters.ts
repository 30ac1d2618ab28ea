import { Identifier } from '../domain/identifier.ts';

const identifier = (what: string, example: string) =>
  ({
    ...Identifier,
    description: `${what} identifier. ${Identifier.description}`,
    examples: [example],
  }) as const;

export const pathIdentifiers = {
  job_id: identifier('Job', '4007'),
  candidate_id: identifier('Candidate', 'c-1001'),
} as const;

type PathIdentifier = keyof typeof pathIdentifiers;

/** Such as `{ id: 'job_id' }` for the path `/v1/jobs/{id}`. */
export type PathParameters = Readonly<Record<string, PathIdentifier>>;

export type LoggedIds = Partial<Record<PathIdentifier, string | undefined>>;

export const pathParameterSchemas = (parameters: PathParameters) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, identifier]) => [name, pathIdentifiers[identifier]]),
  );
