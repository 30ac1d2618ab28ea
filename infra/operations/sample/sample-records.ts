import {
  type Faker,
  fakerAR,
  fakerDE,
  fakerEN_US,
  fakerES,
  fakerFR,
  fakerJA,
  fakerKO,
  fakerPT_BR,
} from '@faker-js/faker';
import type { Application } from '../../../functions/domain/application.ts';
import type { JobStatus } from '../../../functions/domain/job.ts';

/** How much sample data to make. */
export interface SampleOptions {
  /** At least 1 if there are applications. */
  jobs: number;
  applications: number;
  /** The same seed gives the same records. */
  seed: number;
  tenant: string;
}

/** Where candidates come from, with telephone numbers that their regulators reserve for fiction. */
const origins = [
  { value: { faker: fakerEN_US, country: 'United States', phone: '+1 202 555 01##' }, weight: 40 },
  { value: { faker: fakerPT_BR, country: 'Brazil', phone: '+1 305 555 01##' }, weight: 25 },
  { value: { faker: fakerDE, country: 'Germany', phone: '+49 30 23125 ###' }, weight: 10 },
  { value: { faker: fakerFR, country: 'France', phone: '+33 1 99 00 ## ##' }, weight: 8 },
  { value: { faker: fakerES, country: 'Spain', phone: '+1 786 555 01##' }, weight: 6 },
  { value: { faker: fakerJA, country: 'Japan', phone: '+1 415 555 01##' }, weight: 5 },
  { value: { faker: fakerKO, country: 'South Korea', phone: '+1 213 555 01##' }, weight: 3 },
  { value: { faker: fakerAR, country: 'Jordan', phone: '+1 313 555 01##' }, weight: 3 },
];

const statuses: { value: JobStatus; weight: number }[] = [
  { value: 'published', weight: 50 },
  { value: 'closed', weight: 25 },
  { value: 'draft', weight: 10 },
  { value: 'archived', weight: 10 },
  { value: 'paused', weight: 5 },
];

/** Each stage, and how many applications of a hundred are in it. */
const stages = [
  { value: { title: 'Applied', evaluations: 0 }, weight: 50 },
  { value: { title: 'Screening', evaluations: 1 }, weight: 25 },
  { value: { title: 'Interview', evaluations: 2 }, weight: 15 },
  { value: { title: 'Offer', evaluations: 4 }, weight: 6 },
  { value: { title: 'Hired', evaluations: 4 }, weight: 4 },
];

const recommendations = ['strong_yes', 'yes', 'no_decision', 'no', 'definitely_not'] as const;

/** The days before which all of it happened. */
const REFERENCE = '2026-11-01T00:00:00.000Z';
/** The share of candidates who apply to a second job. */
const SECOND_APPLICATION = 0.125;
/** The exponent of the skew: with 3, a tenth of the jobs have almost half of the applications. */
const SKEW = 3;

/**
 * Invented records, as a file to import has them: jobs first, then applications, most of them to few jobs.
 * Each application has another key. Nobody in them exists: addresses are at example.com, and telephone
 * numbers are reserved for fiction.
 */
export function* sampleRecords({ jobs, applications, seed, tenant }: SampleOptions) {
  const dice = fakerEN_US;
  for (const { value } of origins) {
    value.faker.seed(seed);
    value.faker.setDefaultRefDate(REFERENCE);
  }
  for (let at = 0; at < jobs; at += 1) {
    const status = dice.helpers.weightedArrayElement(statuses);
    yield { type: 'job', tenant, id: jobId(at), status };
  }
  for (let at = 0; at < applications; at += 1) {
    const { faker, ...origin } = dice.helpers.weightedArrayElement(origins);
    const job = Math.floor(jobs * dice.number.float({ max: 1 - Number.EPSILON }) ** SKEW);
    const candidate = { user_id: `c-${at + 1}`, ...personOf(faker, origin) };
    yield { type: 'application', tenant, job_id: jobId(job), ...candidate, ...processOf(faker) };
    const isLast = at + 1 === applications;
    if (isLast || jobs === 1 || !dice.datatype.boolean(SECOND_APPLICATION)) continue;
    at += 1;
    const second = jobId((job + 1) % jobs);
    yield { type: 'application', tenant, job_id: second, ...candidate, ...processOf(faker) };
  }
}

const jobId = (at: number) => `job-${at + 1}`;

/** What a candidate says of themselves. */
function personOf(faker: Faker, { country, phone }: { country: string; phone: string }) {
  const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
  const slug = faker.helpers.slugify(faker.internet.username({ firstName, lastName }));
  const city = faker.location.city();
  const experience = faker.helpers.multiple(() => positionOf(faker), { count: { min: 0, max: 6 } });
  return {
    name: faker.person.fullName({ firstName, lastName }),
    email: `${slug.toLowerCase()}@example.com`,
    phone:
      faker.helpers.maybe(() => faker.helpers.replaceSymbols(phone), { probability: 0.9 }) ?? null,
    linked_in: faker.helpers.maybe(() => `linkedin.example.com/in/${slug.toLowerCase()}`) ?? null,
    city,
    region: faker.location.state(),
    country,
    summary: faker.helpers.maybe(() => faker.lorem.sentences(3), { probability: 0.7 }) ?? null,
    position: experience[0]?.title ?? null,
    education: faker.helpers.multiple(() => courseOf(faker, city), { count: { min: 0, max: 3 } }),
    experience,
  };
}

function courseOf(faker: Faker, location: string): Application['education'][number] {
  const start = faker.number.int({ min: 1995, max: 2022 });
  return {
    institution: `University of ${location}`,
    degree: faker.helpers.arrayElement(['BSc', 'MSc', 'BA', 'MBA', 'PhD']),
    field_of_study: faker.person.jobArea(),
    start_date: `${start}`,
    end_date: `${start + 3}-07`,
    current: false,
    location,
    description: null,
  };
}

function positionOf(faker: Faker): Application['experience'][number] {
  const from = faker.date.past({ years: 12 });
  return {
    title: faker.person.jobTitle(),
    company: faker.company.name(),
    start_date: dayOf(from),
    end_date: dayOf(faker.date.between({ from, to: REFERENCE })),
    current: null,
    location: faker.location.city(),
    description: faker.lorem.sentences(2),
  };
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** How far an application has come. */
function processOf(faker: Faker) {
  const { title, evaluations } = faker.helpers.weightedArrayElement(stages);
  const file = faker.string.uuid();
  const created = faker.date.past({ years: 2 });
  return {
    stage_id: title.toLowerCase(),
    stage_title: title,
    score: evaluations === 0 ? null : faker.number.float({ max: 10, fractionDigits: 1 }),
    created_at: created.toISOString(),
    resume_url: `https://files.example.com/resumes/${file}.pdf`,
    video_url:
      faker.helpers.maybe(() => `https://files.example.com/videos/${file}.mp4`, {
        probability: 0.2,
      }) ?? null,
    evaluations: faker.helpers.multiple(() => evaluationOf(faker, created), { count: evaluations }),
  };
}

function evaluationOf(faker: Faker, from: Date): Application['evaluations'][number] {
  const id = faker.number.int({ min: 1, max: 60 });
  return {
    id: faker.string.uuid(),
    evaluator: { id: `u-${id}`, name: faker.person.fullName() },
    stage_id: 'screening',
    stage_title: 'Screening',
    recommendation: faker.helpers.arrayElement(recommendations),
    score: faker.number.int({ min: 1, max: 5 }),
    comment: faker.lorem.sentence(),
    submitted_at: faker.date.between({ from, to: REFERENCE }).toISOString(),
  };
}
