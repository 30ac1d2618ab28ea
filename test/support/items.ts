import { applicationKey, candidateKey, jobKey } from '../../functions/store/keys.ts';

type Members = Readonly<Record<string, unknown>>;

/** A stored application in which every field has a value. All of it is invented. */
export const fullApplication = {
  user_id: 'c-1',
  name: 'Ana Example',
  email: 'ana@example.com',
  phone: '+55 11 5550 0101',
  linked_in: 'linkedin.example.com/in/ana-example',
  city: 'São Paulo',
  region: 'SP',
  country: 'Brazil',
  summary: 'Data engineer.',
  position: 'Senior Data Engineer',
  education: [
    {
      institution: 'Example State University',
      degree: 'BSc',
      field_of_study: 'Computer Science',
      start_date: '2010',
      end_date: '2014-12',
      current: false,
      location: 'Campinas',
      description: 'With honours.',
    },
  ],
  experience: [
    {
      title: 'Senior Data Engineer',
      company: 'Example Logistics',
      start_date: '2019-03-01',
      end_date: '2026-01',
      current: true,
      location: 'São Paulo',
      description: 'Leads the routing data team.',
    },
  ],
  stage_id: 'st-2',
  stage_title: 'Interview',
  score: 8.5,
  created_at: '2026-09-14T12:30:45.123Z',
  resume_url: 'https://files.example.com/resumes/c-1.pdf?signature=invented',
  video_url: 'https://files.example.com/videos/c-1.mp4',
  evaluations: [
    {
      id: 'ev-1',
      evaluator: { id: 'u-7', name: 'Rui Example' },
      stage_id: 'st-1',
      stage_title: 'Screening',
      recommendation: 'strong_yes',
      score: 4,
      comment: 'Clear and well prepared.',
      submitted_at: '2026-09-20T09:00:00.000Z',
    },
  ],
};

const { user_id, name, email, stage_id, stage_title, created_at } = fullApplication;
/** The attributes without which an application does not fit the contract, and no others. */
export const leastApplication = { user_id, name, email, stage_id, stage_title, created_at };

/** An application as it is stored. */
export const applicationItem = (
  { tenant = 'default', job = 'j-1', candidate = 'c-1' },
  members: Members = fullApplication,
) => ({
  ...applicationKey(tenant, job, candidate),
  ...candidateKey(tenant, candidate),
  ...members,
});

/** A job as it is stored: a draft that was never changed. */
export const jobItem = ({ tenant = 'default', job = 'j-1' }, members: Members = {}) => ({
  ...jobKey(tenant, job),
  title: 'Data Engineer',
  status: 'draft',
  version: 1,
  ...members,
});
