import type { FromSchema } from 'json-schema-to-ts';
import { PartialDate, Timestamp } from './timestamp.ts';

const text = (description: string) => ({ type: 'string', description }) as const;
const optionalText = (description: string) => ({ type: ['string', 'null'], description }) as const;

/** The schema of an object whose members are all always present. */
const complete = <const P extends Readonly<Record<string, unknown>>>(properties: P) =>
  ({
    type: 'object',
    properties,
    required: Object.keys(properties).filter(
      (name): name is keyof P & string => name in properties,
    ),
  }) as const;

/** A course in the candidate's educational history. */
export const Education = complete({
  institution: optionalText('School or university.'),
  degree: optionalText('Degree.'),
  field_of_study: optionalText('Field of study.'),
  start_date: PartialDate,
  end_date: PartialDate,
  current: { type: ['boolean', 'null'], description: 'Whether it goes on today.' },
  location: optionalText('Where it was.'),
  description: optionalText('What the candidate says of it.'),
});

/** A position in the candidate's professional experience. */
export const Experience = complete({
  title: optionalText('Job title.'),
  company: optionalText('Employer.'),
  start_date: PartialDate,
  end_date: PartialDate,
  current: { type: ['boolean', 'null'], description: 'Whether it goes on today.' },
  location: optionalText('Where it was.'),
  description: optionalText('What the candidate says of it.'),
});

/** One evaluator's judgement of the candidate. */
export const Evaluation = complete({
  id: text('Identifier of the evaluation.'),
  evaluator: complete({
    id: text('Identifier of the evaluator.'),
    name: optionalText('Name of the evaluator.'),
  }),
  stage_id: optionalText('Identifier of the stage that was evaluated.'),
  stage_title: optionalText('Title of that stage.'),
  recommendation: {
    type: ['string', 'null'],
    enum: ['strong_yes', 'yes', 'no_decision', 'no', 'definitely_not', null],
    description: 'Recommendation.',
  },
  score: { type: ['number', 'null'], description: 'Score given.' },
  comment: optionalText('Comment.'),
  submitted_at: { ...Timestamp, type: ['string', 'null'] },
});

/**
 * A candidate's application to a job: the 19 fields of the specification's section 2.2, in its
 * order, all always present. What the candidate did not give is null; a list without entries is [].
 */
export const Application = complete({
  user_id: text('Identifier of the candidate.'),
  name: text("Candidate's name."),
  email: text("Candidate's e-mail address."),
  phone: optionalText('Telephone number in international format.'),
  linked_in: optionalText('Professional-network profile: host and path, without a scheme.'),
  city: optionalText('City.'),
  region: optionalText('State or region.'),
  country: optionalText('Country.'),
  summary: optionalText('Professional summary.'),
  position: optionalText('Current or last job title.'),
  education: { type: 'array', items: Education, description: 'Educational history.' },
  experience: { type: 'array', items: Experience, description: 'Professional experience.' },
  stage_id: text("Identifier of the application's current stage."),
  stage_title: text('Title of the current stage.'),
  score: { type: ['number', 'null'], description: "Candidate's score." },
  created_at: Timestamp,
  resume_url: optionalText('URL for viewing the résumé (a PDF).'),
  video_url: optionalText('URL of the presentation video; null when there is none.'),
  evaluations: { type: 'array', items: Evaluation, description: 'Evaluations.' },
});
export type Application = FromSchema<typeof Application>;
