import { applicationItem, fullApplication, jobItem } from '../../support/items.ts';

/** The ids that the benchmark asks for, as path parameters. */
export const found = { id: 'j-1', candidate_id: 'c-1' };
export const unknown = { id: 'j-2', candidate_id: 'c-2' };

const description =
  'Plans and builds the pipelines that bring the positions of trucks, orders and depots together; ' +
  'answers for their quality and their cost; teaches colleagues how to read them.';

const repeated = <T extends object>(times: number, entry: T | undefined): T[] =>
  entry === undefined ? [] : Array.from({ length: times }, () => entry);

/** An application of the size that real ones have: about 3 KB in DynamoDB. */
export const application = {
  ...fullApplication,
  summary: `${description} ${description}`,
  education: repeated(2, fullApplication.education[0]),
  experience: repeated(4, fullApplication.experience[0]).map((entry) => ({
    ...entry,
    description,
  })),
  evaluations: repeated(3, fullApplication.evaluations[0]).map((entry) => ({
    ...entry,
    comment: description,
  })),
};

/** The items of the table. */
export const storedApplication = applicationItem({}, application);
export const storedJob = jobItem({});
