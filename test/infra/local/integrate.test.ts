import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemTypes } from '../../../functions/contract/problem.ts';
import { stages } from '../../../infra/settings/stages.ts';
import { Service } from '../../support/local-service.ts';

const run = promisify(execFile);
const page = await readFile('docs/integrate.md', 'utf8');
const errors = await readFile('docs/errors.md', 'utf8');

/** The code blocks of the page in a language. */
const blocks = (language: string) =>
  Array.from(page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')), ([, code]) =>
    String(code),
  );

describe('the page for integrators', () => {
  let folder: string;
  let service: Service;
  let baseUrl: string;
  let tokenEndpoint: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integrate-'));
    service = new Service(folder);
    [, baseUrl = ''] = await service.until(/listens on (http:\S+)/);
    const [, issuer] = await service.until(/tokens come from (http:\S+)/);
    tokenEndpoint = `${issuer}/token`;
  });
  afterAll(async () => {
    await service?.interrupt();
    await rm(folder, { recursive: true, force: true });
  });

  /** For the service of this test. */
  const here = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:3001/token', tokenEndpoint)
      .replaceAll('http://127.0.0.1:3000', baseUrl);

  it('has commands that get a token, read, change and fail as it says', async () => {
    const commands = here(blocks('sh').join('\n'));
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands]);
    expect(stdout).toContain('"name":"Ana Conceição Araújo"');
    expect(stdout).toMatch(/^etag: "2"\r$/im);
    expect(stdout).toContain('{"success":true}');
    expect(stdout).toContain('"code":"application_not_found"');
    expect(stdout).toContain('"code":"version_mismatch"');
  });

  it('comes with a file of requests, which succeed one after the other', async () => {
    const file = here(await readFile('docs/recruitment.http', 'utf8'));
    const values = new Map(
      Array.from(file.matchAll(/^@(\w+) = (.*)$/gm), ([, name = '', value = '']) => [name, value]),
    );
    const statuses: number[] = [];
    for (const request of file.split(/^###.*\n/m).slice(1)) {
      const lines = request.replaceAll(/^#.*\n/gm, '').trimEnd();
      const text = lines.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => String(values.get(name)));
      const [head = '', ...body] = text.split('\n\n');
      const [first = '', ...headers] = head.split('\n');
      const [method = '', url = ''] = first.split(' ');
      const response = await fetch(url, {
        method,
        headers: headers.map((line): [string, string] => {
          const [name = '', ...value] = line.split(': ');
          return [name, value.join(': ')];
        }),
        ...(body.length > 0 && { body: body.join('\n\n') }),
      });
      statuses.push(response.status);
      const { access_token: token } = Object(await response.json());
      if (token !== undefined) values.set('token', token);
    }
    // The last one is conditional on an older version.
    expect(statuses).toEqual([200, 200, 200, 412]);
  });

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
