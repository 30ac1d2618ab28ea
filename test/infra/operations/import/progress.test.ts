import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { showProgress } from '../../../../infra/operations/import/progress.ts';

/** What an operator's standard error receives. */
function output(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 100 });
  const text = () => String(stream.read() ?? '');
  return { stream, text };
}

describe('the operator of an import', () => {
  it('sees on a terminal how far a file has been read', () => {
    const { stream, text } = output(true);
    const { onProgress, stop } = showProgress(stream, 200);
    onProgress(100, 3);
    stop();
    expect(text()).toMatch(/ 50% \| .* left\S*\n$/);
  });

  it('sees each refused line on a line of its own, and the bar below', () => {
    const { stream, text } = output(true);
    const { onProgress, onRefused, stop } = showProgress(stream, 200);
    text();
    onRefused(3, 'the line is not JSON');
    onProgress(200, 6);
    stop();
    const [line = '', bar = '', ...rest] = text().replaceAll('\u001b', 'ESC').split('\n');
    // From the first column of a line that has been cleared.
    expect(line).toBe('ESC[1GESC[2Kline 3: the line is not JSON');
    // Where the cursor is saved is where it comes back to at the end.
    expect(bar).toMatch(/^ESC7ESC\[1G\[=+] 100% .*ESC8$/);
    expect(rest).toEqual(['']);
  });

  it('is not sent more lines than the output takes', async () => {
    const { stream, text } = output(false);
    const many = 'x'.repeat(stream.writableHighWaterMark);
    let isTold = false;
    const told = showProgress(stream)
      .onRefused(1, many)
      .then(() => {
        isTold = true;
      });
    await new Promise(setImmediate);
    expect(isTold).toBe(false);
    text();
    await told;
  });

  it.each([
    ['of standard input, whose length is unknown', true, undefined],
    ['of an empty file', true, 0],
    ['if standard error is not a terminal', false, 200],
  ])('sees no bar %s', (_, isTTY, bytes) => {
    const { stream, text } = output(isTTY);
    const { onProgress, onRefused, stop } = showProgress(stream, bytes);
    onProgress(100, 3);
    onRefused(3, 'the line is not JSON');
    stop();
    expect(text()).toBe('line 3: the line is not JSON\n');
  });

  it.each([
    ['with the share of a file whose length is known', 200, /^\S+Z line 3 \(50 %\)$/],
    ['of standard input, whose length is unknown', undefined, /^\S+Z line 3$/],
  ])('sees a line again and again off a terminal, %s', async (_, bytes, expected) => {
    const { stream, text } = output(false);
    const { onProgress, stop } = showProgress(stream, bytes, 1);
    onProgress(100, 3);
    let seen = '';
    await expect
      .poll(() => {
        seen += text();
        return seen.split('\n').length;
      })
      .toBeGreaterThan(3);
    stop();
    expect(seen.trim().split('\n').at(-1)).toMatch(expected);
  });
});
