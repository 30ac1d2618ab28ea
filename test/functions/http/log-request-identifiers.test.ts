import { beforeAll, describe, expect, it } from 'vitest';
import { applicationItem } from '../../support/items.ts';
import { useService } from '../../support/service.ts';

describe('the log of a request, of identifiers,', () => {
  const service = useService();
  beforeAll(() => service.table.put(applicationItem({})));

  it.each<[string, Record<string, string>, string[]]>([
    ['empty', { id: '', candidate_id: '' }, []],
    ['too long', { id: 'x'.repeat(257), candidate_id: 'c-1' }, ['candidate_id']],
    ['not printable', { id: 'j-1', candidate_id: 'a\nb' }, ['job_id']],
    ['half a surrogate pair', { id: '\ud800', candidate_id: 'c-1' }, ['candidate_id']],
    ['missing', { id: 'j-1' }, ['job_id']],
  ])('leaves out an identifier that is %s', async (_, pathParameters, named) => {
    await service.getApplication({ pathParameters });
    const [line = {}] = service.log.lines;
    expect(Object.keys(line).filter((name) => /^(job|candidate)_id$/.test(name))).toEqual(named);
  });

  it('holds no identifier that is an e-mail address or a telephone number, but its hash', async () => {
    const token = await service.issuer.mint({
      sub: 'rui@example.com',
      client_id: '+351 21 555 0100',
    });
    const pathParameters = { id: 'jobs@example.com', candidate_id: '+55 11 5550 0101' };
    await service.getApplication({ token, pathParameters });
    const sha = expect.stringMatching(/^sha256:[\da-f]{16}$/);
    expect(service.log.lines).toMatchObject([
      { job_id: sha, candidate_id: sha, tenant: 'default', subject: sha, client: sha },
    ]);
    expect(service.log.text).not.toMatch(/example\.com|5550|0100/);
  });
});
