import { readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../../../../infra/operations/import/records.ts';

const page = readFileSync(new URL('../../../../docs/data.md', import.meta.url), 'utf8');
/** The programs of the page by name, which is in their first line. */
const recipes = new Map(
  [...page.matchAll(/^```jq\n# (.+)\.jq\n([\s\S]*?)^```$/gm)].map(([, name = '', program = '']) => [
    name,
    program,
  ]),
);

/** The items that an import makes of what the recipe makes of its sample. */
async function itemsOf(name: string, ...flags: string[]) {
  const sample = readFileSync(new URL(`recipes/${name}.json`, import.meta.url), 'utf8');
  const lines = await raw(sample, recipes.get(name) ?? '', ['-c', ...flags]);
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const record = readRecord(Buffer.from(line));
      if (record === undefined || 'reason' in record) throw new Error(record?.reason);
      return record.item;
    });
}

describe('the jq recipes of docs/data.md', () => {
  it('make an application of a JSON Resume', async () => {
    const time = '2026-11-01T12:00:00Z';
    const values = ['--arg', 'job', '4007', '--arg', 'candidate', 'c-1', '--arg', 'created', time];
    expect(await itemsOf('json-resume', ...values)).toMatchObject([
      {
        job_id: '4007',
        user_id: 'c-1',
        name: 'Ana Example',
        linked_in: 'linkedin.example.com/in/ana',
        country: 'BR',
        position: 'Data Engineer',
        education: [{ degree: 'BSc', field_of_study: 'Computer Science', end_date: '2014-12' }],
        experience: [
          { title: 'Senior Data Engineer', company: 'Example Logistics', current: true },
          { start_date: '2015', end_date: '2019-02', current: false },
        ],
        created_at: '2026-11-01T12:00:00.000Z',
      },
    ]);
  });

  it('make jobs and applications of what Greenhouse has', async () => {
    expect(await itemsOf('greenhouse-jobs')).toMatchObject([
      { job_id: 'gh:149995', status: 'published' },
      { job_id: 'gh:149996', status: 'closed' },
      { job_id: 'gh:149997', status: 'draft' },
    ]);
    const person = {
      user_id: 'gh:57683957',
      name: 'Rui Example',
      email: 'rui@example.com',
      linked_in: 'www.linkedin.example.com/in/rui',
      education: [{ start_date: '2012-08-15', degree: "Bachelor's Degree" }],
      experience: [{ company: 'Example Freight', current: true }],
      resume_url: 'https://files.example.com/resume.pdf',
    };
    expect(await itemsOf('greenhouse-candidates')).toMatchObject([
      { ...person, job_id: 'gh:149995', stage_id: '767358', stage_title: 'Application Review' },
      { ...person, job_id: 'gh:149996', stage_id: 'rejected', stage_title: 'rejected' },
    ]);
  });

  it('make jobs and applications of what Ashby has', async () => {
    expect(await itemsOf('ashby-jobs')).toMatchObject([
      { status: 'published' },
      { status: 'archived' },
    ]);
    expect(await itemsOf('ashby-applications')).toMatchObject([
      { name: 'Ingrid Example', phone: '+1 202 555 0117', stage_title: 'Phone Screen' },
      { name: 'Tomás Example', email: 'tomas@example.com', stage_title: 'New Applicant' },
    ]);
  });

  it('are all tried', () => {
    expect([...recipes.keys()].toSorted()).toEqual([
      'ashby-applications',
      'ashby-jobs',
      'greenhouse-candidates',
      'greenhouse-jobs',
      'json-resume',
    ]);
  });
});
