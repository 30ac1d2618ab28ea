import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { written } from '../../../infra/cli/output.ts';

it('rejects if the output cannot be written, and handles the error that the stream emits', async () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  await expect(written(output, 'x')).rejects.toThrow('EPIPE');
});

it('adds no listeners that stay', async () => {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  for (let count = 0; count < 20; count += 1) await written(output, 'x');
  expect(output.listenerCount('error')).toBe(0);
});
