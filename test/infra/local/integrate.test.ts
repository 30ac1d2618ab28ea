import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';

const page = await readFile('docs/integrate.md', 'utf8');

describe('the page for integrators', () => {
  it('explains every code, with its status, and no other', () => {
    const rows = page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm);
    const found = Array.from(rows, ([, status, code]) => [code, Number(status)]);
    const expected = Object.entries(problemTypes).map(([code, { status }]) => [code, status]);
    expect(found.sort()).toEqual(expected.sort());
  });

  it('names the clients of docs/clients, with their examples', async () => {
    const clients = await readdir('docs/clients', { recursive: true });
    const files = clients.filter((path) => /\.(mts|py)$/.test(path));
    expect(files).toHaveLength(4);
    for (const file of files) expect(page).toContain(`](clients/${file})`);
  });
});
