import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const LAUNCHER = 'infra/run.mjs';

const folder = mkdtempSync(join(tmpdir(), 'recruitment-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const node = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8' });

describe('the launcher', () => {
  it('ends with a sentence on a Node.js that is too old', () => {
    const code =
      "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });" +
      `await import('./${LAUNCHER}')`;
    const { status, stderr } = node('--input-type=module', '-e', code);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^This command needs Node.js 24 .* Node.js 20\.20\.2\. .*\n$/);
  });

  it("ends with a sentence on a stage's file into which JSON was pasted with its braces", () => {
    const file = join(folder, 'infra/stack/stages/prod.ts');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'export const prod = {\n  settings: { {"issuer": "cognito"} },\n};\n');
    const { status, stderr } = node(LAUNCHER, file);
    expect(status).toBe(1);
    expect(stderr).toMatch(/stages\/prod\.ts:2 is not TypeScript\. .* without braces .*\n$/);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it.each([
    ['prints its arguments', 'const all: string[] = process.argv; console.log(all.join())'],
    ['sets an exit code', 'process.exitCode = 3'],
    ['throws', 'throw new Error()'],
    ['never ends', 'await new Promise(() => {})'],
    ['is killed', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"],
  ])('runs a program that %s as Node.js alone does', (_, code) => {
    const program = join(folder, 'program.ts');
    writeFileSync(program, code);
    const { status, signal, stdout } = node(LAUNCHER, program, '--all', 'x');
    const alone = node(program, '--all', 'x');
    expect({ status, signal, stdout }).toEqual({
      status: alone.status,
      signal: alone.signal,
      stdout: alone.stdout,
    });
  });
});
