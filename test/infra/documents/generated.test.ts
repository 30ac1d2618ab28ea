import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generated } from '../../../infra/documents/generated.ts';

it.each(Object.entries(generated))('%s is as `npm run generate` writes it', (name, text) => {
  expect(text).toBe(readFileSync(name, 'utf8'));
});
