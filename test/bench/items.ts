import { itemBytes } from '../../infra/operations/import/storable.ts';
import { applicationItem, fullApplication, jobItem } from '../support/items.ts';

/** Identifiers as long as real ones are. */
export const JOB = '0d9b3f1e-6c52-4d2a-9f0b-7a3c5e8d1f24';
export const CANDIDATE = '5b1c9f00-31d8-4f0e-8a55-0f6d2f4f7f11';

const description =
  'Plans and builds the pipelines that bring the positions of trucks, orders and depots together; ' +
  'answers for their quality and their cost; teaches colleagues how to read them.';

const repeated = <T extends object>(times: number, entries: readonly T[]): T[] =>
  entries.slice(0, 1).flatMap((entry) => Array.from({ length: times }, () => entry));

/** An application of the size that real ones have: about 3 KB in DynamoDB. */
const typical = {
  ...fullApplication,
  summary: `${description} ${description}`,
  education: repeated(2, fullApplication.education),
  experience: repeated(4, fullApplication.experience).map((entry) => ({ ...entry, description })),
  evaluations: repeated(3, fullApplication.evaluations).map((entry) => ({
    ...entry,
    comment: description,
  })),
};

/** The applications that the growth rows compare. */
const sizes = {
  '1 KB': { kilobytes: 1, evaluations: 1 },
  '16 KB': { kilobytes: 16, evaluations: 1 },
  '64 KB': { kilobytes: 64, evaluations: 1 },
  '400 KB': { kilobytes: 400, evaluations: 1 },
  '400 KB, 1,500 evaluations': { kilobytes: 400, evaluations: 1500 },
} as const;
export const sizeNames = Object.keys(sizes) as (keyof typeof sizes)[];

/** An application of this size: the summary makes up for what is missing. */
function sized({ kilobytes, evaluations }: { kilobytes: number; evaluations: number }) {
  const application = (summary: string) =>
    applicationItem(
      { job: JOB, candidate: CANDIDATE },
      {
        ...fullApplication,
        evaluations: repeated(evaluations, fullApplication.evaluations),
        summary,
      },
    );
  const missing = kilobytes * 1024 - itemBytes(application(''));
  return application('x'.repeat(Math.max(0, missing)));
}

/** The application items, by the candidate whose application it is. */
export const applicationItems: ReadonlyMap<string, object> = new Map([
  [CANDIDATE, applicationItem({ job: JOB, candidate: CANDIDATE }, typical)],
  ...Object.entries(sizes).map(([name, size]) => [name, sized(size)] as const),
]);
export const storedJob = jobItem({ job: JOB });
