import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { stages } from '../../../infra/settings/stages.ts';

const page = await readFile('docs/integrate.md', 'utf8');
const errors = await readFile('docs/errors.md', 'utf8');

describe('the page for integrators', () => {
  it('has the limits of the stages', () => {
    for (const [name, { throttle }] of Object.entries(stages)) {
      expect(page).toContain(`| \`${name}\` | ${throttle.requestsPerSecond} | ${throttle.burst} |`);
    }
  });

  it('names the clients of docs/clients, with their examples', async () => {
    const clients = await readdir('docs/clients', { recursive: true });
    const files = clients.filter((path) => /\.(mts|py|go)$/.test(path));
    expect(files).toHaveLength(6);
    for (const file of files) expect(page).toContain(`](clients/${file})`);
  });
});

describe('the page of error codes', () => {
  it('explains every code, with its status, and no other', () => {
    const found = Array.from(
      errors.matchAll(/^### `(\w+)`\n\n\*\*(\d+)\.\*\*/gm),
      ([, code, status]) => [code, Number(status)],
    );
    const expected = Object.entries(problemTypes).map(([code, { status }]) => [code, status]);
    expect(found.sort()).toEqual(expected.sort());
    expect(errors.match(/^### /gm)).toHaveLength(expected.length);
  });
});
