import { allFakers, type Faker } from '@faker-js/faker';
import { Evaluation } from '../../../functions/domain/application.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';

/** Where candidates come from, with telephone numbers that their regulators reserve for fiction. */
const origins = [
  {
    value: { faker: allFakers.en_US, country: 'United States', phone: '+1 202 555 01##' },
    weight: 40,
  },
  { value: { faker: allFakers.pt_BR, country: 'Brazil', phone: '+1 305 555 01##' }, weight: 25 },
  { value: { faker: allFakers.de, country: 'Germany', phone: '+49 30 23125 ###' }, weight: 10 },
  { value: { faker: allFakers.fr, country: 'France', phone: '+33 1 99 00 ## ##' }, weight: 8 },
  { value: { faker: allFakers.es, country: 'Spain', phone: '+1 786 555 01##' }, weight: 6 },
  { value: { faker: allFakers.ja, country: 'Japan', phone: '+1 415 555 01##' }, weight: 5 },
  { value: { faker: allFakers.ko, country: 'South Korea', phone: '+1 213 555 01##' }, weight: 3 },
  { value: { faker: allFakers.ar, country: 'Jordan', phone: '+1 313 555 01##' }, weight: 3 },
];
/** Each stage has as many evaluations as there are stages before it. */
const stages = ['Applied', 'Screening', 'Interview', 'Offer', 'Hired'];
/** The day before which all of it happened. */
const REFERENCE = '2026-11-01T00:00:00.000Z';
/** The share of candidates who apply to a second job. */
const SECOND_APPLICATION = 0.125;
/** The exponent of the skew: with 3, a tenth of the jobs have almost half of the applications. */
const SKEW = 3;

/**
 * Invented records, as a file to import has them: jobs first, then applications, most of them to few jobs,
 * each with another key. Nobody in them exists: addresses are at example.com, and telephone numbers are
 * reserved for fiction. The same seed gives the same records.
 */
export function* sampleRecords(of: {
  jobs: number;
  applications: number;
  seed: number;
  tenant: string;
}) {
  const { jobs, applications, seed, tenant } = of;
  const dice = allFakers.en_US;
  for (const { value } of origins) {
    value.faker.seed(seed);
    value.faker.setDefaultRefDate(REFERENCE);
  }
  for (let at = 1; at <= jobs; at += 1) {
    yield { type: 'job', tenant, id: `job-${at}`, status: dice.helpers.arrayElement(jobStatuses) };
  }
  for (let at = 1; at <= applications; at += 1) {
    const { faker, country, phone } = dice.helpers.weightedArrayElement(origins);
    const job = Math.floor(jobs * dice.number.float({ max: 1 - Number.EPSILON }) ** SKEW);
    const candidate = { user_id: `c-${at}`, country, ...personOf(faker, phone) };
    const to = (index: number) => ({ type: 'application', tenant, job_id: `job-${index + 1}` });
    yield { ...to(job), ...candidate, ...processOf(faker) };
    if (at === applications || jobs === 1 || !dice.datatype.boolean(SECOND_APPLICATION)) continue;
    at += 1;
    yield { ...to((job + 1) % jobs), ...candidate, ...processOf(faker) };
  }
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** What a candidate says of themselves. */
function personOf(faker: Faker, phone: string) {
  const slug = faker.helpers.slugify(faker.internet.username()).toLowerCase();
  const several = <T>(make: () => T) => faker.helpers.multiple(make, { count: { min: 0, max: 5 } });
  const experience = several(() => ({
    title: faker.person.jobTitle(),
    company: faker.company.name(),
    start_date: dayOf(faker.date.past({ years: 12 })),
    location: faker.location.city(),
    description: faker.lorem.sentences(2),
  }));
  return {
    name: faker.person.fullName(),
    email: `${slug}@example.com`,
    phone: faker.helpers.replaceSymbols(phone),
    linked_in: faker.helpers.maybe(() => `linkedin.example.com/in/${slug}`) ?? null,
    city: faker.location.city(),
    region: faker.location.state(),
    summary: faker.lorem.sentences(3),
    position: experience[0]?.title ?? null,
    education: several(() => ({
      institution: `University of ${faker.location.city()}`,
      degree: faker.helpers.arrayElement(['BSc', 'MSc', 'BA', 'MBA', 'PhD']),
      field_of_study: faker.person.jobArea(),
      end_date: `${faker.number.int({ min: 1995, max: 2022 })}-07`,
    })),
    experience,
  };
}

/** How far an application has come. */
function processOf(faker: Faker) {
  const evaluations = faker.helpers.arrayElement([...stages.keys()]);
  const stage_title = stages[evaluations] ?? '';
  const created = faker.date.past({ years: 2 });
  return {
    stage_id: stage_title.toLowerCase(),
    stage_title,
    score: evaluations === 0 ? null : faker.number.float({ max: 10, fractionDigits: 1 }),
    created_at: created.toISOString(),
    resume_url: `https://files.example.com/resumes/${faker.string.uuid()}.pdf`,
    video_url: null,
    evaluations: faker.helpers.multiple(
      () => ({
        id: faker.string.uuid(),
        evaluator: { id: `u-${faker.number.int({ min: 1, max: 60 })}` },
        stage_id: 'screening',
        recommendation: faker.helpers.arrayElement(Evaluation.properties.recommendation.enum),
        comment: faker.lorem.sentence(),
        submitted_at: faker.date.between({ from: created, to: REFERENCE }).toISOString(),
      }),
      { count: evaluations },
    ),
  };
}
