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

  it('names the clients of docs/clients, which test/clients/check.sh runs', async () => {
    const check = await readFile('test/clients/check.sh', 'utf8');
    const clients = await readdir('docs/clients');
    expect(clients).toHaveLength(3);
    for (const client of clients) {
      expect(page).toContain(`](clients/${client})`);
      expect(check).toContain(`"$root/docs/clients/${client}"`);
    }
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
