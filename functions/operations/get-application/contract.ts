import type { Operation } from '../../contract/operation.ts';
import { commonProblems } from '../../contract/problem.ts';
import { Application } from '../../domain/application.ts';

/** `docs/spec.md`, section 4.1. */
export const getApplication = {
  operationId: 'getApplication',
  method: 'GET',
  path: '/v1/jobs/{id}/applications/{candidate_id}',
  scope: 'applications:read',
  summary: 'Get an application',
  description:
    "Returns one candidate's application to a job, with all fields: `null` or `[]` where " +
    'nothing usable is stored. The read is eventually consistent.',
  parameters: { id: 'job_id', candidate_id: 'candidate_id' },
  response: {
    status: 200,
    description: 'The application.',
    schemaName: 'Application',
    schema: Application,
    example: {
      user_id: 'c-1001',
      name: 'Ana Example',
      email: 'ana@example.com',
      phone: '+55 11 5550 0101',
      linked_in: 'linkedin.example.com/in/ana-example',
      city: 'São Paulo',
      region: 'SP',
      country: 'Brazil',
      summary: 'Data engineer with eight years of experience in logistics.',
      position: 'Senior Data Engineer',
      education: [
        {
          institution: 'Example State University',
          degree: 'BSc',
          field_of_study: 'Computer Science',
          start_date: '2010',
          end_date: '2014',
          current: false,
          location: 'Campinas',
          description: null,
        },
      ],
      experience: [
        {
          title: 'Senior Data Engineer',
          company: 'Example Logistics',
          start_date: '2019-03',
          end_date: null,
          current: true,
          location: 'São Paulo',
          description: 'Leads the routing data team.',
        },
      ],
      stage_id: 'st-2',
      stage_title: 'Interview',
      score: 8.5,
      created_at: '2026-09-14T12:30:45.123Z',
      resume_url: 'https://files.example.com/resumes/c-1001.pdf',
      video_url: null,
      evaluations: [
        {
          id: 'ev-1',
          evaluator: { id: 'u-7', name: 'Rui Example' },
          stage_id: 'st-1',
          stage_title: 'Screening',
          recommendation: 'yes',
          score: 4,
          comment: 'Clear and well prepared.',
          submitted_at: '2026-09-20T09:00:00.000Z',
        },
      ],
    } satisfies Application,
  },
  problems: ['invalid_path', 'stored_data_invalid', ...commonProblems, 'application_not_found'],
} as const satisfies Operation;
