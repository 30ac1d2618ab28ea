import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

describe('a script of package.json', () => {
  it.each([
    [
      '20.20.2',
      { code: 1, stderr: expect.stringMatching(/^This needs Node.js 24 .* 20\.20\.2\. .*\n$/) },
    ],
    ['24.0.0', { stderr: '' }],
  ])('on Node.js %s ends with a sentence, or runs', async (version, ended) => {
    const code =
      `Object.defineProperty(process.versions, 'node', { value: '${version}' });` +
      "require('./infra/node-version.cjs')";
    const result = await run(process.execPath, ['-e', code]).catch((error) => error);
    expect(result).toMatchObject(ended);
  });
});
