import { getApplication } from '../../functions/operations/get-application/contract.ts';
import { applicationKey, candidateKey, jobKey } from '../../functions/store/keys.ts';

type Overrides = Readonly<Record<string, unknown>>;

const { example } = getApplication.response;

export const fullApplication = {
  ...example,
  user_id: 'c-1',
  education: example.education.map((one) => ({ ...one, description: 'With honours.' })),
  experience: example.experience.map((one) => ({ ...one, end_date: '2026-01' })),
  resume_url: 'https://files.example.com/resumes/c-1.pdf?signature=invented',
  video_url: 'https://files.example.com/videos/c-1.mp4',
  evaluations: [...example.evaluations],
};

const { user_id, name, email, stage_id, stage_title, created_at } = fullApplication;
export const leastApplication = { user_id, name, email, stage_id, stage_title, created_at };

export const applicationItem = (
  { tenant = 'default', job = 'j-1', candidate = 'c-1' },
  members: Overrides = { ...fullApplication, user_id: candidate },
) => ({
  ...applicationKey(tenant, job, candidate),
  ...candidateKey(tenant, candidate),
  ...members,
});

export const jobItem = ({ tenant = 'default', job = 'j-1' }, members: Overrides = {}) => ({
  ...jobKey(tenant, job),
  title: 'Data Engineer',
  status: 'draft',
  version: 1,
  ...members,
});
