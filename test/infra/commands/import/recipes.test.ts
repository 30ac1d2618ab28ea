import { readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../../../../infra/commands/import/records.ts';

const page = readFileSync(new URL('../../../../docs/data.md', import.meta.url), 'utf8');
/** The programs of the page by name, which is in their first line. */
const recipes = new Map(
  [...page.matchAll(/^```jq\n# (.+)\.jq\n([\s\S]*?)^```$/gm)].map(([, name = '', program = '']) => [
    name,
    program,
  ]),
);

/** The items that an import makes of what the recipe makes of its sample. */
async function itemsOf(name: string, flags: string[] = ['-c'], type = 'json') {
  const sample = readFileSync(new URL(`recipes/${name}.${type}`, import.meta.url), 'utf8');
  const lines = await raw(sample, recipes.get(name) ?? '', flags);
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
  it('make applications of CSV', async () => {
    const items = await itemsOf('applications-csv', ['-R', '-s', '-c'], 'csv');
    expect(items).toMatchObject([
      {
        ...{ job_id: '4007', user_id: 'c-1', name: 'Example, Ana', email: 'ana@example.com' },
        ...{ stage_title: 'Interview', score: 8.5, created_at: '2026-09-14T00:00:00.000Z' },
        resume_url: 'https://files.example.com/1.pdf',
      },
      {
        ...{ job_id: '4007', user_id: 'c-2', name: 'Rui "Ru" Example', city: 'Two\nlines' },
        ...{ email: 'c-2@no-address.invalid', stage_title: 'Applied' },
      },
    ]);
    expect(items).toHaveLength(2);
    expect(items[1]).not.toHaveProperty('phone');
  });

  it('make an application of a JSON Resume', async () => {
    const time = '2026-11-01T12:00:00Z';
    const values = ['--arg', 'job', '4007', '--arg', 'candidate', 'c-1', '--arg', 'created', time];
    expect(await itemsOf('json-resume', ['-c', ...values])).toMatchObject([
      {
        ...{ job_id: '4007', user_id: 'c-1', name: 'Ana Example' },
        linked_in: 'www.linkedin.example.com/in/ana',
        ...{ country: 'BR', position: 'Data Engineer', created_at: '2026-11-01T12:00:00.000Z' },
        education: [{ degree: 'BSc', field_of_study: 'Computer Science', end_date: '2014-12' }],
        experience: [
          {
            ...{ title: 'Senior Data Engineer', company: 'Example Logistics', current: true },
            description: 'Leads the routing data team.\nFaster routes',
          },
          { start_date: '2015', end_date: '2019-02', current: false },
          { company: 'Example Bakery', start_date: '2013', current: true },
        ],
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
      ...{ user_id: 'gh:57683957', name: 'Rui Example', email: 'rui@example.com' },
      education: [{ start_date: '2012-08-15', degree: "Bachelor's Degree" }],
      experience: [{ company: 'Example Freight', current: true }],
    };
    expect(await itemsOf('greenhouse-candidates')).toMatchObject([
      {
        ...{
          ...person,
          job_id: 'gh:149995',
          stage_id: '767358',
          stage_title: 'Application Review',
        },
        linked_in: 'www.linkedin.example.com/in/rui',
        resume_url: 'https://files.example.com/rui-data.pdf',
      },
      {
        ...{ ...person, job_id: 'gh:149996', stage_id: 'rejected', stage_title: 'rejected' },
        resume_url: 'https://files.example.com/resume.pdf',
      },
      {
        ...{ user_id: 'gh:57683958', email: 'gh-57683958@no-address.invalid' },
        linked_in: 'linkedin.example.com/in/ines',
      },
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
      'applications-csv',
      'ashby-applications',
      'ashby-jobs',
      'greenhouse-candidates',
      'greenhouse-jobs',
      'json-resume',
    ]);
  });
});
