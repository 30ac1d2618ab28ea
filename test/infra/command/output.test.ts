import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { showProgress } from '../../../infra/command/output.ts';

it('escapes the hidden characters of a message', async () => {
  const output = new PassThrough();
  const progress = showProgress(output, () => '');
  await progress.print('line 7: Ana\u202e\u3164 é 求 😀');
  progress.stop();
  expect(await text(output.end())).toBe('line 7: Ana\\u202e\\u3164 é 求 😀\n');
});
