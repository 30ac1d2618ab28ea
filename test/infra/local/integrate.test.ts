import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { stages } from '../../../infra/settings/stages.ts';

const page = await readFile('docs/integrate.md', 'utf8');
const errors = await readFile('docs/errors.md', 'utf8');

/** The code blocks of the page in a language. */
const blocks = (language: string) =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')), ([, code]) =>
    String(code),
  );

describe('the page for integrators', () => {
  it('has the limits of the stages', () => {
    for (const [name, { throttle }] of Object.entries(stages)) {
      expect(page).toContain(`| \`${name}\` | ${throttle.requestsPerSecond} | ${throttle.burst} |`);
    }
  });

  it('has a client in two languages, which test/clients/check.sh runs', async () => {
    expect(blocks('ts')).toHaveLength(1);
    expect(blocks('python')).toHaveLength(1);
    const check = await readFile('test/clients/check.sh', 'utf8');
    expect(check).toMatch(/snippet ts\b/);
    expect(check).toMatch(/snippet python\b/);
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
