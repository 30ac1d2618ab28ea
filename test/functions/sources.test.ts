import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../functions/', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

describe('the sources of the functions', () => {
  it('write the five statuses as a list in one file', () => {
    const lists = /'(published|closed|archived|draft|paused)'(,\s*'\w+'){4}/;
    const files = sources.filter((name) => lists.test(readFileSync(new URL(name, folder), 'utf8')));
    expect(files).toEqual(['domain/job.ts']);
  });
});
