import { faker } from '@faker-js/faker';
import { Evaluation } from '../../../functions/domain/application.ts';
import { jobStatuses } from '../../../functions/domain/job.ts';

/** Each stage has as many evaluations as there are stages before it. */
const stages = ['Applied', 'Screening', 'Interview', 'Offer', 'Hired'];
/** The day before which all of it happened. */
const REFERENCE = '2026-11-01T00:00:00.000Z';
/** The exponent of the skew: with 3, a tenth of the jobs have almost half of the applications. */
const SKEW = 3;

/**
 * Invented records, as a file to import has them: jobs first, then applications, most of them to few jobs,
 * each with another key. Nobody in them exists: addresses are at example.com, and telephone numbers are
 * reserved for fiction. They are the same each time.
 */
export function* sampleRecords({ jobs, applications }: { jobs: number; applications: number }) {
  faker.seed(1);
  faker.setDefaultRefDate(REFERENCE);
  for (let at = 1; at <= jobs; at += 1) {
    yield { type: 'job', id: `job-${at}`, status: faker.helpers.arrayElement(jobStatuses) };
  }
  for (let at = 1; at <= applications; at += 1) {
    const job = Math.floor(jobs * faker.number.float({ max: 1 - Number.EPSILON }) ** SKEW);
    const key = { type: 'application', job_id: `job-${job + 1}`, user_id: `c-${at}` };
    yield { ...key, ...candidate(), ...progress() };
  }
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** What candidates say of themselves. */
function candidate() {
  const slug = faker.helpers.slugify(faker.internet.username()).toLowerCase();
  const several = <T>(make: () => T) => faker.helpers.multiple(make, { count: { min: 0, max: 5 } });
  return {
    name: faker.person.fullName(),
    email: `${slug}@example.com`,
    phone: faker.helpers.replaceSymbols('+1 202 555 01##'),
    linked_in: faker.helpers.maybe(() => `linkedin.example.com/in/${slug}`) ?? null,
    city: faker.location.city(),
    region: faker.location.state(),
    country: faker.location.country(),
    summary: faker.lorem.sentences(3),
    position: faker.person.jobTitle(),
    education: several(() => ({
      institution: `University of ${faker.location.city()}`,
      field_of_study: faker.person.jobArea(),
      end_date: `${faker.number.int({ min: 1995, max: 2022 })}-07`,
    })),
    experience: several(() => ({
      title: faker.person.jobTitle(),
      company: faker.company.name(),
      start_date: dayOf(faker.date.past({ years: 12 })),
      location: faker.location.city(),
      description: faker.lorem.sentences(2),
    })),
  };
}

/** How far an application has come. */
function progress() {
  const evaluations = faker.number.int(stages.length - 1);
  const stage_title = stages[evaluations] ?? '';
  const created = faker.date.past({ years: 2 });
  return {
    stage_id: stage_title.toLowerCase(),
    stage_title,
    score: evaluations === 0 ? null : faker.number.float({ max: 10, fractionDigits: 1 }),
    created_at: created.toISOString(),
    resume_url: `https://files.example.com/resumes/${faker.string.uuid()}.pdf`,
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
