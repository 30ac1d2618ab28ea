import { describe, expect, it } from 'vitest';
import { failures, useSmokeCommand } from '../../../support/smoke-command.ts';
import type { PassingAnswer, Spoiler } from '../../../support/spoiling-proxy.ts';

const smoke = useSmokeCommand();

type Body = Record<string, unknown>;

const on =
  (status: number, spoil: Spoiler): Spoiler =>
  (answer) =>
    answer.status === status ? spoil(answer) : undefined;
const read = (spoil: Spoiler): Spoiler =>
  on(200, (answer) => (answer.method === 'GET' ? spoil(answer) : undefined));
const given =
  (members: Partial<PassingAnswer>): Spoiler =>
  (answer) => {
    Object.assign(answer, members);
  };
const edited =
  (edit: (body: Body) => Body): Spoiler =>
  (answer) => {
    answer.body = JSON.stringify(edit(JSON.parse(answer.body)));
  };
const setting =
  (name: string, value?: string): Spoiler =>
  ({ headers }) => {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  };

describe('npm run smoke against a broken service', () => {
  it.each<[string, Spoiler, number, RegExp]>([
    ['500 at a read', read(given({ status: 500 })), 1, /reads .*: expected 200, got 500$/],
    ['a text', read(given({ body: 'OK' })), 1, /reads .*body: expected JSON/],
    [
      'another value',
      read(edited((body) => ({ ...body, city: 'Elsewhere' }))),
      1,
      /reads .*: city: expected another value$/,
    ],
    [
      'a field too few',
      read(edited(({ phone, ...body }) => body)),
      1,
      /must have required property 'phone'.*just the members/,
    ],
    ['a field too many', read(edited((body) => ({ ...body, extra: 1 }))), 1, /just the members/],
    [
      'fields in another order',
      read(edited(({ user_id, ...body }) => ({ ...body, user_id }))),
      1,
      /: body: expected just the members of the contract, in order$/,
    ],
    [
      'a wrong challenge',
      on(401, setting('www-authenticate', 'Basic')),
      1,
      /without a token: header WWW-Authenticate: expected Bearer realm="recruitment", got Basic$/,
    ],
    [
      'no challenge',
      on(401, setting('www-authenticate')),
      1,
      /without a token: header WWW-Authenticate.*expected Bearer realm="recruitment", got none$/,
    ],
    [
      'a 404 that is no problem document',
      on(404, given({ body: '{"message":"Not Found"}' })),
      2,
      /: expected 404 \(application_not_found\), got 404$/,
    ],
    ['no ETag', on(200, setting('etag')), 2, /ETag: .*expected "2", got none$/],
    ['answers that may be stored', setting('cache-control', 'public'), 8, /header Cache-Control/],
    ['a dropped connection', read(() => 'reset'), 1, /reads .*: no answer \(UND_ERR_SOCKET\)$/],
    ['a redirect', read(given({ status: 302 })), 1, /: expected 200, got 302$/],
  ])('%s: says so, fails and leaves nothing', async (_, spoil, count, line) => {
    smoke.proxy.spoil = spoil;
    const { exitCode, out, err } = await smoke.run();
    expect(failures(out)[0]).toMatch(line);
    expect(failures(out)).toHaveLength(count);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${count} of 8 checks`)]);
    expect(await smoke.left()).toEqual([]);
  });

  it('waits no longer than it is told', async () => {
    smoke.proxy.spoil = on(412, () => 'hang');
    const { exitCode, out } = await smoke.run([...smoke.args(), '--timeout', '4']);
    expect([exitCode, failures(out).length]).toEqual([1, 1]);
    expect(failures(out)[0]).toMatch(/stale If-Match: no answer within 4 s$/);
    expect(await smoke.left()).toEqual([]);
  });

  it('never prints a value of a body, nor the token', async () => {
    const canary = 'canary@example.com';
    const token = await smoke.service.issuer.mint();
    smoke.proxy.spoil = edited((body) => ({
      ...body,
      email: canary,
      created_at: canary,
      code: canary,
      [canary]: [canary],
    }));
    const { out, err } = await smoke.run(undefined, { token });
    expect(failures(out)).toHaveLength(8);
    expect(out + err).not.toContain('canary');
    expect(out + err).not.toContain(token.slice(-20));
  });

  it('fails with an invalid token', async () => {
    const { exitCode, out } = await smoke.run(undefined, { token: 'not.a.token' });
    expect([exitCode, failures(out).length]).toEqual([1, 7]);
    expect(failures(out)[0]).toContain('got 401 (invalid_token)');
    expect(await smoke.left()).toEqual([]);
  });

  it('says what to check if the token acts in another tenant', async () => {
    const { exitCode, out } = await smoke.run([...smoke.args(), '--tenant', 'acme']);
    expect([exitCode, failures(out).length]).toEqual([1, 4]);
    expect(failures(out)[0]).toMatch(/application_not_found.*"acme".*--tenant/);
    expect(await smoke.left()).toEqual([]);
  });

  it('fails if the read never finds what was written', async () => {
    smoke.proxy.spoil = read((answer) => {
      const { headers } = answer;
      Object.assign(answer, {
        status: 404,
        body: JSON.stringify({ code: 'application_not_found' }),
      });
      Object.assign(headers, { 'content-type': 'application/problem+json' });
    });
    const { exitCode, out } = await smoke.run();
    expect(exitCode).toBe(1);
    expect(failures(out)[0]).toContain('expected 200, got 404 (application_not_found)');
    expect(await smoke.left()).toEqual([]);
  });
});
