import type { FromSchema } from 'json-schema-to-ts';
import { objectSchema, openSchema } from './json-schema.ts';
import { PHONE_NUMBER, UNBALANCED } from './phone-number.ts';
import { PRESIGNED_URL_MINUTES } from './s3-uri.ts';
import { PartialDate, Timestamp } from './timestamp.ts';

const text = (description: string) => ({ type: 'string', description }) as const;
const nullable = { type: ['string', 'null'] } as const;
const nullableText = (description: string) => ({ ...nullable, description }) as const;

const EXPIRY =
  `May be presigned, and then works for up to ${PRESIGNED_URL_MINUTES} minutes: read the application ` +
  'again for a new one.';

/** Allows only http and https: a page that links to a `javascript:` URL would let it run a script. */
const urlSchema = (description: string) =>
  ({ ...nullableText(`${description} ${EXPIRY}`), format: 'webAddress' }) as const;

const period = {
  start_date: PartialDate,
  end_date: PartialDate,
  current: { type: ['boolean', 'null'], description: 'Whether the course or position is ongoing.' },
  location: nullable,
  description: nullableText("The candidate's description of the course or position."),
} as const;

// In `/v1`, do not describe any more members here: the platform may already store one by that name.
export const Education = openSchema({
  institution: nullableText('School or university.'),
  degree: nullable,
  field_of_study: nullable,
  ...period,
});

export const Experience = openSchema({
  title: nullableText('Job title.'),
  company: nullableText('Employer.'),
  ...period,
});

export const Evaluation = openSchema({
  id: nullableText('Identifier of the evaluation.'),
  evaluator: {
    ...openSchema({
      id: nullableText('Identifier of the evaluator.'),
      name: nullableText('Name of the evaluator.'),
    }),
    type: ['object', 'null'],
  },
  stage_id: nullableText('Identifier of the hiring stage that was evaluated.'),
  stage_title: nullableText('Title of the hiring stage that was evaluated.'),
  recommendation: {
    type: ['string', 'null'],
    enum: ['strong_yes', 'yes', 'no_decision', 'no', 'definitely_not', null],
    description: "The evaluator's recommendation.",
  },
  score: { type: ['number', 'null'], description: "The evaluator's score." },
  comment: nullableText("The evaluator's comment."),
  submitted_at: { ...Timestamp, type: ['string', 'null'] },
});

/**
 * Fields and their order are from `docs/spec.md`, section 2.2. What the candidate did not provide is `null` or `[]`.
 */
export const Application = objectSchema({
  user_id: text('Identifier of the candidate.'),
  name: text("Candidate's name."),
  email: text("Candidate's e-mail address."),
  phone: {
    ...nullableText(
      'Telephone number in international format, with its country prefix and perhaps an extension.',
    ),
    pattern: `^${PHONE_NUMBER}$`,
    not: UNBALANCED,
  },
  linked_in: {
    ...nullableText('Professional-network profile: host and path, without a scheme.'),
    format: 'profile',
  },
  city: nullable,
  region: nullableText('State or region.'),
  country: nullable,
  summary: nullableText('Professional summary.'),
  position: nullableText('Current or last job title.'),
  education: { type: 'array', items: Education, description: 'Educational history.' },
  experience: { type: 'array', items: Experience, description: 'Professional experience.' },
  stage_id: text("Identifier of the application's current hiring stage."),
  stage_title: text("Title of the application's current hiring stage."),
  score: { type: ['number', 'null'], description: "Candidate's score." },
  created_at: Timestamp,
  resume_url: urlSchema('URL for viewing the résumé (a PDF).'),
  video_url: urlSchema('URL of the presentation video; null if there is no video.'),
  evaluations: { type: 'array', items: Evaluation },
});
export type Application = FromSchema<typeof Application>;
